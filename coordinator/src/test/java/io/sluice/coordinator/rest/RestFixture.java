package io.sluice.coordinator.rest;

import io.sluice.common.config.Settings;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.ClusterObserver;
import io.sluice.coordinator.cluster.ClusterRules;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.SilenceLimits;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.MemoryStateStore;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import io.sluice.http.Answer;
import io.sluice.http.Request;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The interface over a leader's real cluster of three servers, on a clock that stands still. */
final class RestFixture {
  static final ApplicationId APPLICATION = ApplicationId.of(1, 1);
  static final String SERVER = "/api/v1/servers/" + Servers.id(1);
  static final String APPLICATIONS = "/api/v1/applications/";

  final ManualScheduler scheduler = new ManualScheduler();
  final MemoryStateStore store = new MemoryStateStore();
  final List<String> forwarded = new ArrayList<>();
  final List<String> audited = new ArrayList<>();
  final Leadership leadership;
  final RestApi api;
  final RestSite site;

  RestFixture(Access access) {
    ClusterRules rules =
        new ClusterRules(
            new SilenceLimits(
                TimeUnit.SECONDS.toNanos(5),
                TimeUnit.SECONDS.toNanos(30),
                TimeUnit.MINUTES.toNanos(2)),
            new LeaseTerms(TimeUnit.SECONDS.toNanos(10), TimeUnit.MINUTES.toNanos(5)),
            1_000);
    leadership =
        new Leadership(
            scheduler,
            store,
            () -> {},
            (term, fenced) -> new Cluster(scheduler, rules, term, fenced, ClusterObserver.none()));
    api = new RestApi(scheduler, leadership, Runnable::run, new AuditLog(audited::add, scheduler));
    site =
        new RestSite(
            api,
            access,
            new HostNames(List.of("here.example.com")),
            new Forward(),
            List.<Settings.Entry>of());
  }

  /** Where everybody may do everything. */
  static RestFixture open() {
    return new RestFixture(Access.open());
  }

  /** Makes it the leader of three servers, two applications and a shuffle. */
  RestFixture leading() {
    leadership.elected("here:7400");
    scheduler.runTasks();
    Cluster cluster = leadership.cluster();
    for (int i = 1; i <= 3; i++) {
      ServerReport report =
          new ServerReport(
              Servers.free(1L << 30),
              Intent.SERVE,
              List.of(new ServerReport.Use(APPLICATION, 1_000L * i, i)));
      cluster.openSession(Servers.hello(i, 1, APPLICATION), report, new RecordingChannel());
    }
    register(APPLICATION, "ada");
    register(ApplicationId.of(1, 2), "bob");
    cluster.createShuffle(new ShuffleKey(APPLICATION, 3, 0), 10, 2, Set.of());
    return this;
  }

  void register(ApplicationId id, String user) {
    leadership.cluster().register(new ApplicationRecord(id, "app-1", user, "spark", "0.1", 42));
    scheduler.runTasks();
  }

  /** Asks, and does not wait for the answer. */
  CompletableFuture<Answer> ask(String uri) {
    return begin("GET", uri, new byte[0], Map.of(), Optional.empty());
  }

  Answer get(String uri) {
    return call("GET", uri, "", Map.of());
  }

  Answer put(String uri, String body) {
    return call("PUT", uri, body, Map.of());
  }

  Answer delete(String uri) {
    return call("DELETE", uri, "", Map.of());
  }

  Answer call(String method, String uri, String body, Map<String, String> headers) {
    return call(method, uri, body.getBytes(StandardCharsets.UTF_8), headers, Optional.empty());
  }

  Answer call(
      String method,
      String uri,
      byte[] body,
      Map<String, String> headers,
      Optional<String> certificate) {
    CompletableFuture<Answer> answer = begin(method, uri, body, headers, certificate);
    if (!answer.isDone()) {
      throw new AssertionError("no answer to " + method + " " + uri);
    }
    return answer.join();
  }

  private CompletableFuture<Answer> begin(
      String method,
      String uri,
      byte[] body,
      Map<String, String> headers,
      Optional<String> certificate) {
    int question = uri.indexOf('?');
    Map<String, String> all = new HashMap<>(headers);
    all.putIfAbsent("host", "here:7401");
    Request request =
        new Request(
            method,
            question < 0 ? uri : uri.substring(0, question),
            question < 0 ? "" : uri.substring(question + 1),
            all,
            body,
            certificate,
            "client:5");
    CompletableFuture<Answer> answer = site.answer(request).toCompletableFuture();
    scheduler.runTasks();
    return answer;
  }

  static String text(Answer answer) {
    return new String(answer.body(), StandardCharsets.UTF_8);
  }

  private final class Forward implements LeaderForward {
    @Override
    public CompletionStage<Answer> forward(String leader, Call call) {
      forwarded.add(leader + " " + call.method() + " " + call.path() + " as " + call.role());
      return CompletableFuture.completedFuture(Answer.text(200, "application/json", "{}"));
    }

    @Override
    public void close() {}
  }
}
