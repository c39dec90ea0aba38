package io.sluice.client;

import io.sluice.common.id.ServerId;
import java.io.Serializable;

/** A server as a placement names it. Immutable. */
public final class PlacedServer implements Serializable {
  private static final long serialVersionUID = 1;

  private final long idHigh;
  private final long idLow;
  private final long incarnation;
  private final String host;
  private final int port;

  public PlacedServer(ServerId id, long incarnation, String host, int port) {
    this.idHigh = id.high();
    this.idLow = id.low();
    this.incarnation = incarnation;
    this.host = host;
    this.port = port;
  }

  public ServerId id() {
    return ServerId.of(idHigh, idLow);
  }

  /** The server's incarnation when the placement was made. */
  public long incarnation() {
    return incarnation;
  }

  public String host() {
    return host;
  }

  /** Netty data port. */
  public int port() {
    return port;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof PlacedServer)) {
      return false;
    }
    PlacedServer that = (PlacedServer) other;
    return idHigh == that.idHigh
        && idLow == that.idLow
        && incarnation == that.incarnation
        && host.equals(that.host)
        && port == that.port;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(idHigh ^ idLow ^ incarnation) * 31 + port;
  }

  @Override
  public String toString() {
    return host + ":" + port + " (" + id() + "@" + incarnation + ")";
  }
}
