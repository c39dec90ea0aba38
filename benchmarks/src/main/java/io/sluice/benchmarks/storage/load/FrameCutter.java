package io.sluice.benchmarks.storage.load;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.transport.ServerSession;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;

/**
 * Hands the blocks of frames to a session as the transport does: whole where they lie whole, in
 * parts otherwise, CRCs checked while the bytes are hot. On the event loop.
 */
final class FrameCutter {
  private final ServerSession session;
  private final Crc32c crc = new Crc32c();
  private long blocks;
  private int payloadLeft;
  private int expectedCrc;

  FrameCutter(ServerSession session) {
    this.session = session;
  }

  /** Blocks begun so far. */
  long blocks() {
    return blocks;
  }

  /** Credit that the frame's next step needs; 0 where a block goes on. */
  long charge(Frame frame) {
    return payloadLeft > 0
        ? 0
        : TransportLimits.charge(BlockHeader.storedLength(frame.bytes(), frame.bytes().position()));
  }

  /** Takes the next block, or as much of it as the frame has. */
  void step(Frame frame) {
    ByteBuffer in = frame.bytes();
    if (payloadLeft > 0) {
      payload(in);
      return;
    }
    int at = in.position();
    int length = BlockHeader.LENGTH + BlockHeader.storedLength(in, at);
    if (length <= in.remaining()) {
      session.block(frame.handle(), blocks++, in, at, BlockHeader.crcMatches(in, at, crc));
      in.position(at + length);
      return;
    }
    BlockHeader.beginCrc(in, at, crc);
    expectedCrc = BlockHeader.crc(in, at);
    payloadLeft = length - BlockHeader.LENGTH;
    session.blockBegin(frame.handle(), blocks++, in, at);
    in.position(at + BlockHeader.LENGTH);
    if (in.hasRemaining()) {
      payload(in);
    }
  }

  private void payload(ByteBuffer in) {
    int part = Math.min(payloadLeft, in.remaining());
    crc.update(in, in.position(), part);
    session.blockPart(in, in.position(), part);
    in.position(in.position() + part);
    payloadLeft -= part;
    if (payloadLeft == 0) {
      session.blockEnd(crc.value() == expectedCrc);
    }
  }
}
