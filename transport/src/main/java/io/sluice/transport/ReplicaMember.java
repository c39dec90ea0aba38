package io.sluice.transport;

import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;

/** Another member of a replica set, as the server that forwards to it is told. Immutable. */
public final class ReplicaMember {
  /** Members that a handle may name besides the server itself. */
  public static final int MAX_OTHERS = 2;

  private final ServerId id;
  private final long incarnation;
  private final String host;
  private final int port;

  /**
   * @param incarnation of the member when the placement was made
   * @param host as {@link HostPort#isHost} has it
   * @param port its data port for plain sockets
   * @throws SluiceException INVALID_ARGUMENT if the host can be none
   */
  public ReplicaMember(ServerId id, long incarnation, String host, int port) {
    if (!HostPort.isHost(host)) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "server " + id + " has no host name or address that could be passed on");
    }
    this.id = id;
    this.incarnation = incarnation;
    this.host = host;
    this.port = port;
  }

  public ServerId id() {
    return id;
  }

  public long incarnation() {
    return incarnation;
  }

  public String host() {
    return host;
  }

  public int port() {
    return port;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof ReplicaMember)) {
      return false;
    }
    ReplicaMember that = (ReplicaMember) other;
    return id.equals(that.id)
        && incarnation == that.incarnation
        && host.equals(that.host)
        && port == that.port;
  }

  @Override
  public int hashCode() {
    return id.hashCode() * 31 + Long.hashCode(incarnation);
  }

  @Override
  public String toString() {
    return host + ":" + port + " (" + id + "@" + incarnation + ")";
  }
}
