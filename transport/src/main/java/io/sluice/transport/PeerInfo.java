package io.sluice.transport;

import java.util.UUID;

/** What the handshake established about the peer of a connection. Immutable. */
public final class PeerInfo {
  private final UUID process;
  private final int version;
  private final String address;

  public PeerInfo(UUID process, int version, String address) {
    this.process = process;
    this.version = version;
    this.address = address;
  }

  /** Minted per client process; connections of one process share it. */
  public UUID process() {
    return process;
  }

  /** The protocol version agreed on. */
  public int version() {
    return version;
  }

  public String address() {
    return address;
  }
}
