package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.membership.ServerHello;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.SilenceLimits;
import io.sluice.coordinator.placement.Apart;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.Term;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.MemoryStateStore;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A leader's cluster on a clock and a store that tests move. */
abstract class ClusterFixture {
  static final ApplicationId APPLICATION = ApplicationId.of(1, 1);
  static final ShuffleKey SHUFFLE = new ShuffleKey(APPLICATION, 3, 0);
  static final ClusterRules RULES =
      new ClusterRules(
          new SilenceLimits(
              TimeUnit.SECONDS.toNanos(5),
              TimeUnit.SECONDS.toNanos(30),
              TimeUnit.MINUTES.toNanos(2)),
          new LeaseTerms(TimeUnit.SECONDS.toNanos(10), TimeUnit.MINUTES.toNanos(5)),
          1_000);

  final ManualScheduler scheduler = new ManualScheduler();
  final MemoryStateStore store = new MemoryStateStore();
  final Counts counts = new Counts();
  final Cluster cluster = cluster(new Term(4, List.of(), List.of(), Set.of()));

  Cluster cluster(Term term) {
    return new Cluster(scheduler, RULES, term, store, counts);
  }

  static ApplicationRecord record() {
    return new ApplicationRecord(APPLICATION, "app-1", "ada", "spark", "0.1", 42);
  }

  void register() {
    CompletableFuture<Void> registration = cluster.register(record()).toCompletableFuture();
    scheduler.runTasks();
    assertThat(registration).isCompleted();
  }

  Term nextTerm(ApplicationRecord... applications) {
    return new Term(
        5, List.of(applications), List.copyOf(store.servers().values()), store.decommissioned());
  }

  RecordingChannel server(long number) {
    return server(number, 1 << 30, Intent.SERVE);
  }

  RecordingChannel server(long number, long free, Intent intent) {
    RecordingChannel channel = new RecordingChannel();
    open(channel, Servers.hello(number, 1), free, intent);
    return channel;
  }

  ServerSession open(RecordingChannel channel, ServerHello hello, long free, Intent intent) {
    return cluster.openSession(hello, Servers.report(free, intent), channel);
  }

  /** A server that holds something of applications. */
  ServerSession holding(long number, long free, ServerReport.Use... uses) {
    ApplicationId[] applications =
        Arrays.stream(uses).map(ServerReport.Use::application).toArray(ApplicationId[]::new);
    return cluster.openSession(
        Servers.hello(number, 1, applications),
        new ServerReport(Servers.free(free), Intent.SERVE, List.of(uses)),
        new RecordingChannel());
  }

  void reportFor(ServerSession session, int seconds) {
    for (int i = 0; i < seconds; i++) {
      scheduler.advance(1, TimeUnit.SECONDS);
      session.report(Servers.report(1));
    }
  }

  static ErrorCode codeOf(ThrowingCallable call) {
    return catchThrowableOfType(SluiceException.class, call).code();
  }

  Placement create(int partitions, Set<ServerId> excluded) {
    return cluster.createShuffle(SHUFFLE, partitions, 0, excluded);
  }

  static final class Counts implements ClusterObserver {
    final Map<ServerState, Integer> servers = new EnumMap<>(ServerState.class);
    final List<Apart> together = new ArrayList<>();
    int expired;

    @Override
    public void countedServers(Map<ServerState, Integer> byState) {
      servers.putAll(byState);
    }

    @Override
    public void countedApplications(int applications, int shuffles) {}

    @Override
    public void placed(int partitions, long nanos) {}

    @Override
    public void placedTogether(Apart apart) {
      together.add(apart);
    }

    @Override
    public void expired() {
      expired++;
    }
  }
}
