package io.sluice.transport.session;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.ServerSession;
import java.nio.ByteBuffer;

/**
 * Cuts PUSH bodies into blocks and hands them to a session without copying: whole where they lie
 * whole in a piece, in parts otherwise. Numbers them over the connection's life and checks their
 * CRCs while the bytes are hot.
 */
final class BlockCutter implements AutoCloseable {
  private final ServerSession session;
  private final int maxStoredLength;
  private final boolean verifyCrc;
  private final Carry carry;
  private final Crc32c crc = new Crc32c();

  private int handle;
  private int frameRemaining;
  private int blocksRemaining;
  private int payloadRemaining;
  private int expectedCrc;
  private long nextBlock;

  BlockCutter(
      ServerSession session, int maxStoredLength, boolean verifyCrc, ByteBufAllocator alloc) {
    this.session = session;
    this.maxStoredLength = maxStoredLength;
    this.verifyCrc = verifyCrc;
    this.carry = new Carry(alloc);
  }

  void begin(int pushHandle, int blocks, int length) {
    if (blocks < 1 || (long) blocks * BlockHeader.LENGTH > length) {
      throw malformed(blocks + " blocks in " + length + " bytes");
    }
    handle = pushHandle;
    frameRemaining = length;
    blocksRemaining = blocks;
  }

  void part(ByteBuffer in, int offset, int length) {
    int position = offset;
    int end = offset + length;
    while (position < end) {
      position = payloadRemaining > 0 ? payload(in, position, end) : blockStart(in, position, end);
    }
  }

  void end() {
    if (blocksRemaining != 0 || payloadRemaining != 0 || !carry.isEmpty()) {
      throw malformed("blocks do not add up to their frame");
    }
  }

  private int blockStart(ByteBuffer in, int position, int end) {
    if (carry.isEmpty() && end - position >= BlockHeader.LENGTH) {
      int stored = checkHeader(in, position);
      int next = position + BlockHeader.LENGTH;
      if (end - next >= stored) {
        wholeBlock(in, position);
        return next + stored;
      }
      beginParts(in, position, stored);
      return next;
    }
    int taken = carry.fill(in, position, end, BlockHeader.LENGTH);
    if (carry.holds(BlockHeader.LENGTH)) {
      carry.clear();
      int stored = checkHeader(carry.view(), 0);
      if (stored == 0) {
        wholeBlock(carry.view(), 0);
      } else {
        beginParts(carry.view(), 0, stored);
      }
    }
    return position + taken;
  }

  private int checkHeader(ByteBuffer buffer, int offset) {
    if (blocksRemaining == 0) {
      throw malformed("more blocks than announced");
    }
    BlockHeader.validate(buffer, offset, maxStoredLength);
    int stored = BlockHeader.storedLength(buffer, offset);
    frameRemaining -= BlockHeader.LENGTH + stored;
    blocksRemaining--;
    if (frameRemaining < blocksRemaining * BlockHeader.LENGTH) {
      throw malformed("block reaches over its frame: " + BlockHeader.describe(buffer, offset));
    }
    return stored;
  }

  private void wholeBlock(ByteBuffer buffer, int offset) {
    boolean matches = !verifyCrc || BlockHeader.crcMatches(buffer, offset, crc);
    session.block(handle, nextBlock++, buffer, offset, matches);
  }

  private void beginParts(ByteBuffer buffer, int offset, int stored) {
    payloadRemaining = stored;
    if (verifyCrc) {
      BlockHeader.beginCrc(buffer, offset, crc);
      expectedCrc = BlockHeader.crc(buffer, offset);
    }
    session.blockBegin(handle, nextBlock++, buffer, offset);
  }

  private int payload(ByteBuffer in, int position, int end) {
    int part = Math.min(payloadRemaining, end - position);
    if (verifyCrc) {
      crc.update(in, position, part);
    }
    payloadRemaining -= part;
    session.blockPart(in, position, part);
    if (payloadRemaining == 0) {
      session.blockEnd(!verifyCrc || crc.value() == expectedCrc);
    }
    return position + part;
  }

  private static SluiceException malformed(String what) {
    return new SluiceException(ErrorCode.MALFORMED_FRAME, "PUSH: " + what);
  }

  @Override
  public void close() {
    carry.close();
  }
}
