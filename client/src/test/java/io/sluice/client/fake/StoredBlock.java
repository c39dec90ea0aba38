package io.sluice.client.fake;

import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;

/** A block as a fake server keeps it: header and payload. */
public final class StoredBlock {
  private final byte[] bytes;

  public StoredBlock(byte[] bytes) {
    this.bytes = bytes;
  }

  byte[] bytes() {
    return bytes;
  }

  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes);
  }

  public int partition() {
    return BlockHeader.partition(buffer(), 0);
  }

  public int mapIndex() {
    return BlockHeader.mapIndex(buffer(), 0);
  }

  public long attemptId() {
    return BlockHeader.attemptId(buffer(), 0);
  }

  public int sequence() {
    return BlockHeader.sequence(buffer(), 0);
  }

  /** A copy whose header says another length of the payload. */
  public StoredBlock withStoredLength(int storedLength) {
    ByteBuffer copy = ByteBuffer.wrap(bytes.clone());
    BlockHeader.write(
        copy,
        0,
        BlockHeader.flags(copy, 0),
        partition(),
        mapIndex(),
        attemptId(),
        sequence(),
        BlockHeader.rawLength(copy, 0),
        storedLength,
        BlockHeader.recordCount(copy, 0));
    return new StoredBlock(copy.array());
  }

  /** A copy with one bit of the payload or, if there is none, of the header flipped. */
  StoredBlock corrupted(int randomBits) {
    byte[] copy = bytes.clone();
    int at =
        copy.length > BlockHeader.LENGTH
            ? BlockHeader.LENGTH + Math.floorMod(randomBits, copy.length - BlockHeader.LENGTH)
            : 20;
    copy[at] ^= (byte) (1 << (randomBits & 7));
    return new StoredBlock(copy);
  }
}
