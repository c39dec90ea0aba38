package io.sluice.client;

import io.sluice.common.id.ServerId;
import io.sluice.transport.ReplicaMember;
import java.io.Serializable;

/** A server as a placement names it. Immutable. */
public final class PlacedServer implements Serializable {
  private static final long serialVersionUID = 1;

  private final long idHigh;
  private final long idLow;
  private final long incarnation;
  private final String host;
  private final int port;
  private final int grpcPort;

  /** A server without gRPC. */
  public PlacedServer(ServerId id, long incarnation, String host, int port) {
    this(id, incarnation, host, port, 0);
  }

  /**
   * @param port the data port, for plain sockets
   * @param grpcPort the data port for gRPC, 0 if there is none
   */
  public PlacedServer(ServerId id, long incarnation, String host, int port, int grpcPort) {
    this.idHigh = id.high();
    this.idLow = id.low();
    this.incarnation = incarnation;
    this.host = host;
    this.port = port;
    this.grpcPort = grpcPort;
  }

  public ServerId id() {
    return ServerId.of(idHigh, idLow);
  }

  /** The same address in another life. */
  public PlacedServer inLife(long other) {
    return new PlacedServer(id(), other, host, port, grpcPort);
  }

  /** The server's incarnation when the placement was made. */
  public long incarnation() {
    return incarnation;
  }

  public String host() {
    return host;
  }

  /** Data port, for plain sockets. */
  public int port() {
    return port;
  }

  /** Data port for gRPC; 0 if the server does not speak it. */
  public int grpcPort() {
    return grpcPort;
  }

  /** The same as other servers are told that replicate to it. */
  public ReplicaMember asMember() {
    return new ReplicaMember(id(), incarnation, host, port);
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
        && port == that.port
        && grpcPort == that.grpcPort;
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
