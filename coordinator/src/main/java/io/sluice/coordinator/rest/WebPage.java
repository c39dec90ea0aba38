package io.sluice.coordinator.rest;

import io.sluice.http.Answer;
import io.sluice.http.Request;
import java.util.List;
import java.util.Map;

/**
 * The web page: four files from the resources, which ask the interface for everything else and
 * nobody else for anything. It is shown to everybody; what it shows, the interface decides.
 * Immutable.
 */
final class WebPage {
  /** Nothing but what comes from here; no inline scripts or styles; in no frame. */
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  private record File(String contentType, byte[] content) {}

  private final Map<String, File> files;

  private WebPage(Map<String, File> files) {
    this.files = files;
  }

  static WebPage load() {
    return new WebPage(
        Map.of(
            "/", file("index.html", "text/html; charset=utf-8"),
            "/sluice.svg", file("sluice.svg", "image/svg+xml"),
            "/sluice.css", file("sluice.css", "text/css; charset=utf-8"),
            "/sluice.js", file("sluice.js", "text/javascript; charset=utf-8")));
  }

  private static File file(String name, String contentType) {
    return new File(contentType, OpenApi.resource("web/" + name));
  }

  boolean has(String path) {
    return files.containsKey(path);
  }

  Answer answer(Request request) {
    File file = files.get(request.path());
    boolean looks = request.method().equals("GET") || request.method().equals("HEAD");
    if (file == null || !looks) {
      return Errors.answer(
          RestException.notAllowed(request.method(), request.path(), List.of("GET", "HEAD")));
    }
    return new Answer(
        200,
        file.contentType(),
        Map.of(
            "content-security-policy",
            POLICY,
            "referrer-policy",
            "no-referrer",
            "cache-control",
            "no-cache"),
        file.content());
  }
}
