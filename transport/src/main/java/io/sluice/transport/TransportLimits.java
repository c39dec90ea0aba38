package io.sluice.transport;

import io.sluice.common.block.BlockHeader;

/** Fixed numbers of the protocol; all checked before anything is allocated. */
public final class TransportLimits {
  /**
   * Data chunks of a fetch: small enough that acks and other streams never wait long behind one.
   */
  public static final int MAX_DATA_BYTES = 256 * 1024;

  /** One receive buffer per event loop, of this many bytes. */
  public static final int RECEIVE_BUFFER_BYTES = 256 * 1024;

  /** Largest payload of a block that any server may be configured to take. */
  public static final int MAX_BLOCK_BYTES = 16 * 1024 * 1024;

  /** Largest body of a PUSH frame: a full block and its header, or many small ones. */
  public static final int MAX_PUSH_BYTES = MAX_BLOCK_BYTES + 64 * 1024;

  /** Largest body of any other frame. */
  public static final int MAX_CONTROL_BYTES = 8 * 1024;

  /** Largest amount of credit that one frame may name, so that sums cannot overflow. */
  public static final long MAX_CREDIT = 1L << 40;

  /** Blocks are charged against credit in multiples of this. */
  public static final int CREDIT_UNIT = 4096;

  private TransportLimits() {}

  /** Credit that a block of so many stored bytes costs, its header included. */
  public static long charge(int storedLength) {
    long whole = (long) storedLength + BlockHeader.LENGTH;
    return (whole + CREDIT_UNIT - 1) / CREDIT_UNIT * CREDIT_UNIT;
  }
}
