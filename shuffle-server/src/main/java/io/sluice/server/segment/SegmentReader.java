package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.cache.ReadSource;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskWatch;
import io.sluice.server.disk.IoMeter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads ranges of segments on the disk's reading threads, and tells the disk's watch how that went.
 * Thread-safe.
 *
 * <p>Windows go past the page cache: shuffled bytes are read once, so caching them only costs
 * (measured 0.2–0.25 against 0.25–2.0 cpu-s/GB for 252 KiB reads, the worst where the machine has
 * to find fresh memory for the cache). Small reads want the cache and the kernel's read-ahead.
 */
final class SegmentReader {
  /** Below this the lost read-ahead costs more than the page cache does. */
  private static final int ALIGNED_READ_MIN = 32 << 10;

  private final Disk disk;
  private final OpenFiles files;
  private final OpenFiles alignedFiles;
  private final DiskWatch watch;
  private final LongAdder bytesRead = new LongAdder();

  SegmentReader(Disk disk, SegmentFiles files, DiskWatch watch) {
    this.disk = disk;
    this.files = files.forReads();
    this.alignedFiles = files.forAlignedReads();
    this.watch = watch;
  }

  /** A segment as the cache reads it, leased by whoever asks the cache. */
  ReadSource source(Segment segment) {
    return new Source(this, segment);
  }

  private record Source(SegmentReader reader, Segment segment) implements ReadSource {
    @Override
    public long number() {
      return segment.number();
    }

    @Override
    public void readWindow(long position, ByteBuffer target) {
      boolean aligned = reader.disk.bypassesPageCache() && target.remaining() >= ALIGNED_READ_MIN;
      try {
        reader.read(aligned ? reader.alignedFiles : reader.files, segment, position, target);
      } catch (IOException e) {
        throw reader.failed(segment, position, target, e);
      }
    }

    @Override
    public void readExactly(long position, ByteBuffer target) {
      try {
        reader.read(reader.files, segment, position, target);
      } catch (IOException e) {
        SluiceException failure = reader.failed(segment, position, target, e);
        reader.watch.readFailed(new Place(segment.number(), position), failure);
        throw failure;
      }
    }

    @Override
    public void retain() {
      segment.retain();
    }

    @Override
    public void release() {
      segment.release();
    }
  }

  private record Place(long segment, long position) {}

  private void read(OpenFiles from, Segment segment, long position, ByteBuffer target)
      throws IOException {
    int length = target.remaining();
    boolean complete;
    IoMeter.Access reading = watch.begin(IoMeter.Kind.READ);
    try {
      complete = readFully(from, segment, position, target);
    } finally {
      reading.end();
    }
    if (!complete) {
      throw new SluiceException(
          ErrorCode.CORRUPT_UNIT,
          place(segment, position) + ": segment ends before the " + length + " bytes do");
    }
    watch.readSucceeded();
    bytesRead.add(length);
  }

  private static boolean readFully(
      OpenFiles from, Segment segment, long position, ByteBuffer target) throws IOException {
    OpenFiles.Use use = from.acquire(segment);
    try {
      return FullReads.read(use.file(), target, position);
    } finally {
      use.release();
    }
  }

  private SluiceException failed(
      Segment segment, long position, ByteBuffer target, IOException cause) {
    return new SluiceException(
        ErrorCode.DISK_FAILED,
        place(segment, position) + ": cannot read " + target.limit() + " bytes",
        cause);
  }

  private String place(Segment segment, long offset) {
    return "disk " + disk.name() + ", segment " + segment.file() + ", offset " + offset;
  }

  long bytesRead() {
    return bytesRead.sum();
  }
}
