package io.sluice.http;

import java.util.Map;
import java.util.Optional;

/**
 * A request, whole. Immutable.
 *
 * @param path as it was sent, escapes included
 * @param query what follows the question mark, as it was sent; may be empty
 * @param headers the last of each name, names in lower case
 * @param body at most {@link StatusPages#MAX_BODY} bytes; not copied, treat as immutable
 * @param certificate the name in the client's certificate, as RFC 2253 writes it; empty without
 * @param from host:port at the other end of the connection, for logs
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
public record Request(
    String method,
    String path,
    String query,
    Map<String, String> headers,
    byte[] body,
    Optional<String> certificate,
    String from) {
  public Request {
    headers = Map.copyOf(headers);
  }

  /** The last header of a name in lower case. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }
}
