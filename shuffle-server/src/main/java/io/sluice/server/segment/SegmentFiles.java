package io.sluice.server.segment;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskOptions;

/** The open files of one disk's segments: a quarter for writes, the rest for reads. Thread-safe. */
final class SegmentFiles {
  private final OpenFiles forReads;
  private final OpenFiles forWrites;

  SegmentFiles(Disk disk, DiskOptions options) {
    int writes = Math.max(1, options.maxOpenFiles() / 4);
    forWrites = new OpenFiles(writes, disk::openForWrite);
    forReads = new OpenFiles(options.maxOpenFiles() - writes, disk::openForRead);
  }

  OpenFiles forReads() {
    return forReads;
  }

  OpenFiles forWrites() {
    return forWrites;
  }

  void forget(Segment segment) {
    forReads.forget(segment);
    forWrites.forget(segment);
  }

  void close() {
    forReads.close();
    forWrites.close();
  }
}
