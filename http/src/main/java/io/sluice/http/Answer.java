package io.sluice.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What is sent back.
 *
 * @param headers besides those about length, type and connection
 * @param body not copied, treat as immutable
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
public record Answer(int status, String contentType, Map<String, String> headers, byte[] body) {
  public Answer {
    headers = Map.copyOf(headers);
  }

  /** UTF-8 text without further headers. */
  public static Answer text(int status, String contentType, String body) {
    return new Answer(status, contentType, Map.of(), body.getBytes(StandardCharsets.UTF_8));
  }
}
