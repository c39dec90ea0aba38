package io.sluice.client.fetch;

import io.sluice.client.BlockReader;
import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;

/** A flyweight over a block that lies at an offset of a buffer. */
final class BlockView implements BlockReader.Block {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private ByteBuffer bytes = NOTHING;
  private ByteBuffer payload = NOTHING;
  private int offset;
  private long followingRawBytes;

  /** Looks at another buffer; the view makes its own position and limit for the payload. */
  void over(ByteBuffer newBytes) {
    bytes = newBytes;
    payload = newBytes.duplicate();
    offset = 0;
  }

  /** Moves to the block at an offset. */
  void at(int newOffset) {
    offset = newOffset;
    int start = newOffset + BlockHeader.LENGTH;
    payload.limit(start + BlockHeader.storedLength(bytes, newOffset)).position(start);
  }

  int length() {
    return BlockHeader.LENGTH + BlockHeader.storedLength(bytes, offset);
  }

  @Override
  public int sequence() {
    return BlockHeader.sequence(bytes, offset);
  }

  int flags() {
    return BlockHeader.flags(bytes, offset);
  }

  String describe() {
    return BlockHeader.describe(bytes, offset);
  }

  /** A copy that outlives the buffer. */
  ByteBuffer copy() {
    ByteBuffer source = bytes.duplicate();
    source.limit(offset + length()).position(offset);
    ByteBuffer copy = ByteBuffer.allocate(length());
    copy.put(source).flip();
    return copy;
  }

  @Override
  public int partition() {
    return BlockHeader.partition(bytes, offset);
  }

  @Override
  public int mapIndex() {
    return BlockHeader.mapIndex(bytes, offset);
  }

  @Override
  public long attemptId() {
    return BlockHeader.attemptId(bytes, offset);
  }

  @Override
  public int codec() {
    return BlockHeader.codec(bytes, offset);
  }

  @Override
  public boolean continues() {
    return (flags() & BlockHeader.CONTINUES) != 0;
  }

  @Override
  public int rawLength() {
    return BlockHeader.rawLength(bytes, offset);
  }

  @Override
  public long chainRawLength() {
    return rawLength() + followingRawBytes;
  }

  /** Says how many raw bytes are in the rest of the chain; 0 before anybody does. */
  void followedBy(long rawBytes) {
    followingRawBytes = rawBytes;
  }

  @Override
  public int recordCount() {
    return BlockHeader.recordCount(bytes, offset);
  }

  @Override
  public ByteBuffer payload() {
    return payload;
  }
}
