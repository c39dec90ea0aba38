package io.sluice.transport;

import java.util.UUID;

/** What the handshake established about the peer of a connection. Immutable. */
public final class PeerInfo {
  private final UUID process;
  private final int version;
  private final String address;
  private final Principal principal;

  /** Of a peer that did not have to prove anything. */
  public PeerInfo(UUID process, int version, String address) {
    this(process, version, address, Principal.anyone());
  }

  public PeerInfo(UUID process, int version, String address, Principal principal) {
    this.process = process;
    this.version = version;
    this.address = address;
    this.principal = principal;
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

  /** Who the peer has proved to be. */
  public Principal principal() {
    return principal;
  }
}
