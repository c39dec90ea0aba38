package io.sluice.transport;

import io.sluice.common.id.ServerId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the handshake established about the peer of a connection. Immutable. */
public final class PeerInfo {
  private final UUID process;
  private final int version;
  private final String address;
  private final Principal principal;
  private final @Nullable ServerId server;

  /** Of a client that did not have to prove anything. */
  public PeerInfo(UUID process, int version, String address) {
    this(process, version, address, Principal.anyone(), null);
  }

  /**
   * @param server if the peer is a shuffle server that brings replicas
   */
  public PeerInfo(
      UUID process, int version, String address, Principal principal, @Nullable ServerId server) {
    this.process = process;
    this.version = version;
    this.address = address;
    this.principal = principal;
    this.server = server;
  }

  /** Minted per client process; connections of one process share it. */
  public UUID process() {
    return process;
  }

  /** The protocol version agreed on. */
  public int version() {
    return version;
  }

  /** Which server the peer says it is, or null for a client. */
  public @Nullable ServerId server() {
    return server;
  }

  public String address() {
    return address;
  }

  /** Who the peer has proved to be. */
  public Principal principal() {
    return principal;
  }
}
