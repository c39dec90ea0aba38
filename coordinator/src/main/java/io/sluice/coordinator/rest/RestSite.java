package io.sluice.coordinator.rest;

import io.sluice.common.config.Settings;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.http.Answer;
import io.sluice.http.Request;
import io.sluice.http.Site;
import io.sluice.http.StatusPages;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
  static final String ACCESS = "/api/v1/access";
  static final String CONFIGURATION = "/api/v1/configuration";

  /** What this process answers whether it leads or not. */
  static final Set<String> OWN = Set.of(DOCUMENT, VERSION, ACCESS, CONFIGURATION);

  private final RestApi api;
  private final Access access;
  private final HostNames hosts;
  private final LeaderForward forward;
  private final List<Settings.Entry> settings;
  private final WebPage page;

  /**
   * @param hosts names of this coordinator
   * @param settings of this process
   */
  public RestSite(
      RestApi api,
      Access access,
      HostNames hosts,
      LeaderForward forward,
      List<Settings.Entry> settings) {
    this.api = api;
    this.access = access;
    this.hosts = hosts;
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
    Caller caller = new Caller(Role.NOBODY, "nobody", request.from());
    try {
      caller = access.of(request);
      requireOwnPage(request);
      Call call = new Call(method, request.path(), request.query(), request.body(), caller);
      if (OWN.contains(call.path())) {
        return done(own(call));
      }
      return api.audit()
          .noted(call, api.callOrForward(call, forward))
          .thenApply(RestSite::uncached);
    } catch (SluiceException refusal) {
      Answer answer = Errors.answer(refusal);
      String uri = AuditLog.uri(request.path(), request.query());
      api.audit().note(caller, method, uri, request.body(), answer.status());
      return done(answer);
    }
  }

  @Override
  public Answer tooLarge() {
    return uncached(
        Errors.answer(
            RestException.of(
                413,
                ErrorCode.INVALID_ARGUMENT,
                "a body has at most " + StatusPages.MAX_BODY + " bytes")));
  }

  @Override
  public Answer malformed() {
    return uncached(
        Errors.answer(
            RestException.of(
                400,
                ErrorCode.INVALID_ARGUMENT,
                "not a request, or one whose first line is longer than 4,096 bytes or whose headers"
                    + " are longer than 8,192")));
  }

  /**
   * A page of another site must not change anything in the name of whoever looks at it. Browsers
   * ask before they send PUT or DELETE to another site, and are not answered; this is for those
   * that would not ask. Where nobody has to show anything, the page must also have come under a
   * name of ours: that of another site may be made to point here. Only browsers send an origin, so
   * whoever else calls may use any name.
   */
  private void requireOwnPage(Request request) {
    String origin = request.header("origin").orElse("");
    if (origin.isEmpty() || !AuditLog.changes(request.method())) {
      return;
    }
    String host = request.header("host").orElse("");
    if (!origin.equals("http://" + host) && !origin.equals("https://" + host)) {
      throw new SluiceException(
          ErrorCode.ACCESS_DENIED, "a page of " + origin + " may not change things here");
    }
    if (!access.isOn() && !hosts.includes(host)) {
      throw new SluiceException(
          ErrorCode.ACCESS_DENIED,
          "without tokens, pages under the name "
              + host
              + " may not change things: use the name in coordinator.host, or an address");
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

  private Answer own(Call call) {
    if (!call.method().equals("GET")) {
      throw RestException.notAllowed(call.method(), call.path(), List.of("GET"));
    }
    call.requireKnown(Set.of());
    if (call.path().equals(DOCUMENT)) {
      return new Answer(200, "application/yaml", Map.of(), OpenApi.document());
    }
    if (call.path().equals(VERSION)) {
      return json(api.version());
    }
    if (call.path().equals(ACCESS)) {
      return json(new Permitted(call.role().name()));
    }
    RestApi.requireReader(call);
    return json(
        new Configuration(
            settings.stream()
                .map(entry -> new Setting(entry.name(), entry.value(), entry.origin()))
                .toList()));
  }

  private static Answer json(Object value) {
    return new Answer(200, Json.TYPE, Map.of(), Json.write(value));
  }

  private record Permitted(String role) {}

  private record Configuration(List<Setting> settings) {}

  private record Setting(String key, String value, String origin) {}
}
