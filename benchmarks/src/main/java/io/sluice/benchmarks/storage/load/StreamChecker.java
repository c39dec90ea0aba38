package io.sluice.benchmarks.storage.load;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.partition.MapRange;
import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * Reads one partition's blocks as they come, in pieces of any size: every header is digested and
 * one block in {@value #SAMPLE} has its payload's CRC checked, so that a server that returns wrong,
 * old or no bytes is found out while the checking stays cheap. One thread's.
 */
final class StreamChecker {
  /** Of so many blocks one is checked whole, chosen by its header's CRC. */
  static final int SAMPLE = 8;

  private static final int CRC_OFFSET = BlockHeader.LENGTH - Integer.BYTES;

  private final Digest digest;
  private final ByteBuffer header = ByteBuffer.allocate(BlockHeader.LENGTH);
  private final Crc32c crc = new Crc32c();
  private int partition;
  private MapRange maps = MapRange.ALL;
  private long blocks;
  private long bytes;
  private int payloadLeft;
  private boolean checked;

  /**
   * @param digest of all that was read
   */
  StreamChecker(Digest digest) {
    this.digest = digest;
  }

  /**
   * The next bytes are a partition's first.
   *
   * @param wantedMaps what is digested: of a few others blocks come as well, before and after them
   */
  void begin(int partitionNumber, MapRange wantedMaps) {
    partition = partitionNumber;
    maps = wantedMaps;
    blocks = 0;
    bytes = 0;
    payloadLeft = 0;
    header.clear();
  }

  /** Looks at what remains in a buffer, which it does not change. */
  void piece(ByteBuffer in) {
    int at = in.position();
    int end = in.limit();
    bytes += end - at;
    while (at < end) {
      if (payloadLeft > 0) {
        at += payload(in, at, Math.min(payloadLeft, end - at));
      } else {
        int part = Math.min(header.remaining(), end - at);
        header.put(header.position(), in, at, part);
        header.position(header.position() + part);
        at += part;
        if (!header.hasRemaining()) {
          blockBegins();
        }
      }
    }
  }

  private void blockBegins() {
    header.clear();
    BlockHeader.validate(header, 0, Integer.MAX_VALUE);
    if (BlockHeader.partition(header, 0) != partition) {
      throw corrupt("came as partition " + partition);
    }
    if (maps.contains(BlockHeader.mapIndex(header, 0))) {
      digest.add(header, 0);
    }
    blocks++;
    payloadLeft = BlockHeader.storedLength(header, 0);
    checked = Integer.remainderUnsigned(header.getInt(CRC_OFFSET), SAMPLE) == 0;
    if (checked) {
      BlockHeader.beginCrc(header, 0, crc);
    }
    checkEnd();
  }

  private int payload(ByteBuffer in, int at, int length) {
    if (checked) {
      crc.update(in, at, length);
    }
    payloadLeft -= length;
    checkEnd();
    return length;
  }

  private void checkEnd() {
    if (payloadLeft == 0 && checked && crc.value() != header.getInt(CRC_OFFSET)) {
      throw corrupt("does not match its CRC");
    }
  }

  /** The partition has ended, as the server says with so many blocks and bytes. */
  void end(long saidBlocks, long saidBytes) {
    if (payloadLeft > 0 || header.position() > 0 || blocks != saidBlocks || bytes != saidBytes) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BLOCK,
          String.format(
              Locale.ROOT,
              "partition %d ended with %d blocks, %d bytes; the server says %d, %d",
              partition,
              blocks,
              bytes,
              saidBlocks,
              saidBytes));
    }
  }

  private SluiceException corrupt(String what) {
    return new SluiceException(
        ErrorCode.CORRUPT_BLOCK, "read back: " + BlockHeader.describe(header, 0) + " " + what);
  }
}
