package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/** Reads ranges of segments on the disk's reading threads. Thread-safe. */
final class SegmentReader {
  private final Disk disk;
  private final OpenFiles files;
  private final LongAdder bytesRead = new LongAdder();

  SegmentReader(Disk disk, OpenFiles files) {
    this.disk = disk;
    this.files = files;
  }

  /**
   * Fills a buffer from a segment leased by the caller.
   *
   * @throws SluiceException CORRUPT_UNIT if the segment ends early, DISK_FAILED if it cannot be
   *     read
   */
  void read(Segment segment, long position, ByteBuffer target) {
    long next = position;
    try {
      OpenFiles.Use use = files.acquire(segment);
      try {
        while (target.hasRemaining()) {
          int read = use.file().read(target, next);
          if (read < 0) {
            throw new SluiceException(
                ErrorCode.CORRUPT_UNIT,
                place(segment, next) + ": segment ends " + target.remaining() + " bytes early");
          }
          next += read;
        }
      } finally {
        use.release();
      }
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED,
          place(segment, next) + ": cannot read " + target.remaining() + " bytes",
          e);
    }
    bytesRead.add(next - position);
  }

  private String place(Segment segment, long offset) {
    return "disk " + disk.name() + ", segment " + segment.file() + ", offset " + offset;
  }

  long bytesRead() {
    return bytesRead.sum();
  }
}
