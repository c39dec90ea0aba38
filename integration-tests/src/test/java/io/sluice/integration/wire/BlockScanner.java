package io.sluice.integration.wire;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.id.ShuffleKey;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/** Follows blocks that lie back to back, however cut, and damages what a {@link Flip} says. */
final class BlockScanner {
  private static final int UNTOUCHED = -1;

  private final Way way;
  private final ShuffleKey shuffle;
  private final Supplier<Flip> orders;
  private final ByteBuffer header = ByteBuffer.allocate(BlockHeader.LENGTH);
  private Flip order;
  private int payloadLength;
  private int payloadPassed;
  private int flipAt = UNTOUCHED;

  BlockScanner(Way way, ShuffleKey shuffle, Supplier<Flip> orders) {
    this.way = way;
    this.shuffle = shuffle;
    this.orders = orders;
    this.order = orders.get();
  }

  void pass(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      if (header.hasRemaining()) {
        int taken = Math.min(header.remaining(), to - at);
        header.put(bytes, at, taken);
        at += taken;
        if (!header.hasRemaining()) {
          begin();
        }
      } else {
        int taken = Math.min(payloadLength - payloadPassed, to - at);
        payload(bytes, at, taken);
        at += taken;
      }
      if (!header.hasRemaining() && payloadPassed == payloadLength) {
        header.clear();
      }
    }
  }

  private void begin() {
    if (header.getShort(0) != BlockHeader.MAGIC) {
      throw new IllegalStateException("no block where docs/protocol.md has one: " + this);
    }
    payloadLength = BlockHeader.storedLength(header, 0);
    payloadPassed = 0;
    order = orders.get();
    flipAt = order.strikes(way, shuffle, header) ? payloadLength / 2 : UNTOUCHED;
  }

  private void payload(byte[] bytes, int at, int count) {
    if (flipAt >= payloadPassed && flipAt < payloadPassed + count) {
      bytes[at + flipAt - payloadPassed] ^= 0x10;
      order.done();
    }
    payloadPassed += count;
  }

  boolean isBetweenBlocks() {
    return header.position() == 0;
  }

  @Override
  public String toString() {
    return way + " of shuffle " + shuffle + ", " + BlockHeader.describe(header, 0);
  }
}
