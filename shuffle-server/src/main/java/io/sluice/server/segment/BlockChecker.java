package io.sluice.server.segment;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Checks that the extents of a unit hold whole blocks; used at recovery only, by one thread. Looks
 * at a piece at a time, however long an extent is: somebody else may have written it.
 */
final class BlockChecker {
  /** A quarter of what one read of HDFS takes, and many blocks. */
  static final int PIECE = 256 << 10;

  private final Crc32c crc = new Crc32c();
  private final ByteBuffer piece = ByteBuffer.allocate(PIECE);

  boolean intact(DiskFile file, List<Extent> extents) throws IOException {
    for (Extent extent : extents) {
      if (!new Walk(file, extent).holdsBlocks()) {
        return false;
      }
    }
    return true;
  }

  /** From the first byte of an extent to its last. In the piece is what was read and not passed. */
  private final class Walk {
    private final DiskFile file;
    private final Extent extent;
    private int read;

    Walk(DiskFile file, Extent extent) {
      this.file = file;
      this.extent = extent;
      piece.clear().limit(0);
    }

    boolean holdsBlocks() throws IOException {
      int blocks = 0;
      while (left() > 0) {
        if (!passBlock()) {
          return false;
        }
        blocks++;
      }
      return blocks == extent.blocks();
    }

    private int left() {
      return extent.length() - read + piece.remaining();
    }

    /** False if there is none, or not a whole one. */
    private boolean passBlock() throws IOException {
      if (left() < BlockHeader.LENGTH || !fill(BlockHeader.LENGTH) || !isHeader()) {
        return false;
      }
      int header = piece.position();
      int stored = BlockHeader.crc(piece, header);
      int payload = BlockHeader.storedLength(piece, header);
      BlockHeader.beginCrc(piece, header, crc);
      piece.position(header + BlockHeader.LENGTH);
      return passPayload(payload) && crc.value() == stored;
    }

    private boolean isHeader() {
      int header = piece.position();
      try {
        BlockHeader.validate(piece, header, left() - BlockHeader.LENGTH);
      } catch (SluiceException e) {
        return false;
      }
      return BlockHeader.partition(piece, header) == extent.partition();
    }

    private boolean passPayload(int length) throws IOException {
      int more = length;
      while (more > 0) {
        if (!fill(1)) {
          return false;
        }
        int part = Math.min(more, piece.remaining());
        crc.update(piece, piece.position(), part);
        piece.position(piece.position() + part);
        more -= part;
      }
      return true;
    }

    /** Sees to it that so many bytes are in the piece, of an extent that has them. */
    private boolean fill(int bytes) throws IOException {
      if (piece.remaining() >= bytes) {
        return true;
      }
      piece.compact();
      int more = Math.min(piece.remaining(), extent.length() - read);
      piece.limit(piece.position() + more);
      boolean all = FullReads.read(file, piece, extent.offset() + read);
      piece.flip();
      read += more;
      return all;
    }
  }
}
