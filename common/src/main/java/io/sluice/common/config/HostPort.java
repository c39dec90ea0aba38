package io.sluice.common.config;

import java.net.InetSocketAddress;
import java.util.Optional;

/** The address of a listening socket, unresolved: {@code host:port} or {@code [::1]:port}. */
public final class HostPort {
  /** Longest host. A DNS name has at most 253 letters, an IPv6 address with its zone fewer. */
  public static final int MAX_HOST_LENGTH = 255;

  private static final int MAX_PORT = 65_535;

  private final String host;
  private final int port;

  /**
   * @param port 1 to 65535
   * @throws IllegalArgumentException on an empty host or a port out of range
   */
  public HostPort(String host, int port) {
    if (host.isEmpty()) {
      throw new IllegalArgumentException("the host is missing");
    }
    if (port < 1 || port > MAX_PORT) {
      throw new IllegalArgumentException("port " + port + " is not between 1 and " + MAX_PORT);
    }
    this.host = host;
    this.port = port;
  }

  /**
   * @throws IllegalArgumentException saying what is wrong
   */
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("\"" + text + "\" is not host:port");
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not host:port: write an IPv6 address as [address]:port");
    }
    if (host.chars().anyMatch(c -> Character.isWhitespace(c) || c == '/' || c == ',')) {
      throw new IllegalArgumentException("\"" + host + "\" is not a host name or address");
    }
    try {
      return new HostPort(host, Integer.parseInt(text.substring(colon + 1)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("\"" + text + "\" does not end in a port number", e);
    }
  }

  /** As {@link #parse}, for what other processes say: empty if it is no address. */
  public static Optional<HostPort> tryParse(String text) {
    try {
      return Optional.of(parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * Whether a text from elsewhere may be a host: 1 to {@value #MAX_HOST_LENGTH} of the characters
   * of names (with the underscore that some name servers give out) and of addresses. Whoever looks
   * it up, connects to it or logs it need not expect any other.
   */
  public static boolean isHost(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_HOST_LENGTH
        && text.chars().allMatch(HostPort::isOfHost);
  }

  private static boolean isOfHost(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "-_.:[]%".indexOf(c) >= 0;
  }

  public String host() {
    return host;
  }

  public int port() {
    return port;
  }

  /** For a connect; names are looked up anew by whoever connects. */
  public InetSocketAddress toUnresolvedAddress() {
    return InetSocketAddress.createUnresolved(host, port);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HostPort
        && ((HostPort) other).port == port
        && ((HostPort) other).host.equals(host);
  }

  @Override
  public int hashCode() {
    return host.hashCode() * 31 + port;
  }

  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
