package io.sluice.server.segment;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Checks that the extents of a unit hold whole blocks; used at recovery only, by one thread. */
final class BlockChecker {
  private final Crc32c crc = new Crc32c();

  boolean intact(DiskFile file, List<Extent> extents) throws IOException {
    for (Extent extent : extents) {
      ByteBuffer bytes = ByteBuffer.allocate(extent.length());
      if (!FullReads.read(file, bytes, extent.offset()) || !holdsBlocks(bytes.flip(), extent)) {
        return false;
      }
    }
    return true;
  }

  private boolean holdsBlocks(ByteBuffer bytes, Extent extent) {
    int blocks = 0;
    int next = 0;
    while (next < extent.length()) {
      int left = extent.length() - next - BlockHeader.LENGTH;
      if (left < 0 || !isBlock(bytes, next, left, extent.partition())) {
        return false;
      }
      next += BlockHeader.LENGTH + BlockHeader.storedLength(bytes, next);
      blocks++;
    }
    return blocks == extent.blocks();
  }

  private boolean isBlock(ByteBuffer bytes, int start, int storedLengthMax, int partition) {
    try {
      BlockHeader.validate(bytes, start, storedLengthMax);
    } catch (SluiceException e) {
      return false;
    }
    return BlockHeader.partition(bytes, start) == partition
        && BlockHeader.crcMatches(bytes, start, crc);
  }
}
