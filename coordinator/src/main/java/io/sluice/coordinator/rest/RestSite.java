package io.sluice.coordinator.rest;

import io.sluice.common.config.Settings;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.http.Answer;
import io.sluice.http.Request;
import io.sluice.http.Site;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The interface over HTTP: finds out who calls, answers what this process alone knows, and has the
 * rest answered by whoever leads.
 */
public final class RestSite implements Site {
  static final String ROOT = "/api/";
  static final String DOCUMENT = "/api/v1/openapi.yaml";
  static final String VERSION = "/api/v1/version";
  static final String CONFIGURATION = "/api/v1/configuration";

  private final RestApi api;
  private final Access access;
  private final LeaderForward forward;
  private final List<Settings.Entry> settings;
  private final WebPage page;

  /**
   * @param settings of this process
   */
  public RestSite(
      RestApi api, Access access, LeaderForward forward, List<Settings.Entry> settings) {
    this.api = api;
    this.access = access;
    this.forward = forward;
    this.settings = List.copyOf(settings);
    this.page = WebPage.load();
  }

  @Override
  public boolean owns(String path) {
    return path.startsWith(ROOT) || page.has(path);
  }

  @Override
  public CompletionStage<Answer> answer(Request request) {
    if (page.has(request.path())) {
      return done(page.answer(request));
    }
    // What HEAD leaves out, the server does.
    String method = request.method().equals("HEAD") ? "GET" : request.method();
    try {
      Call call =
          new Call(method, request.path(), request.query(), request.body(), access.of(request));
      requireSameOrigin(request);
      return call.method().equals("GET") && isOwn(call.path())
          ? done(own(call))
          : api.callOrForward(call, forward).thenApply(RestSite::uncached);
    } catch (SluiceException refusal) {
      return done(Errors.answer(refusal));
    }
  }

  /**
   * A page of another site must not change anything in the name of whoever looks at it. Browsers
   * ask before they send PUT or DELETE to another site, and are not answered; this is for those
   * that would not ask.
   */
  private static void requireSameOrigin(Request request) {
    String origin = request.header("origin").orElse("");
    String host = request.header("host").orElse("");
    boolean changes = !request.method().equals("GET") && !request.method().equals("HEAD");
    if (changes
        && !origin.isEmpty()
        && !origin.equals("http://" + host)
        && !origin.equals("https://" + host)) {
      throw new SluiceException(
          ErrorCode.ACCESS_DENIED, "a page of " + origin + " may not change things here");
    }
  }

  private static CompletionStage<Answer> done(Answer answer) {
    return CompletableFuture.completedFuture(uncached(answer));
  }

  private static Answer uncached(Answer answer) {
    Map<String, String> headers = new HashMap<>(answer.headers());
    headers.putIfAbsent("cache-control", "no-store");
    headers.put("x-content-type-options", "nosniff");
    return new Answer(answer.status(), answer.contentType(), headers, answer.body());
  }

  private static boolean isOwn(String path) {
    return path.equals(DOCUMENT) || path.equals(VERSION) || path.equals(CONFIGURATION);
  }

  private Answer own(Call call) {
    if (call.path().equals(DOCUMENT)) {
      return new Answer(200, "application/yaml", Map.of(), OpenApi.document());
    }
    if (call.path().equals(VERSION)) {
      return json(new Version(version(), "v1"));
    }
    RestApi.requireReader(call);
    return json(
        new Configuration(
            settings.stream()
                .map(entry -> new Setting(entry.name(), entry.value(), entry.origin()))
                .toList()));
  }

  private static String version() {
    String version = RestSite.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private static Answer json(Object value) {
    return new Answer(200, Json.TYPE, Map.of(), Json.write(value));
  }

  private record Version(String version, String api) {}

  private record Configuration(List<Setting> settings) {}

  private record Setting(String key, String value, String origin) {}
}
