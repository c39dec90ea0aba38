package io.sluice.server.segment;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskOptions;

/**
 * The open files of one disk's segments: a quarter of the bound for writes, a quarter for small
 * reads, half for aligned reads. Thread-safe.
 */
final class SegmentFiles {
  private final OpenFiles forWrites;
  private final OpenFiles forReads;
  private final OpenFiles forAlignedReads;

  SegmentFiles(Disk disk, DiskOptions options) {
    int quarter = options.maxOpenFiles() / 4;
    forWrites = new OpenFiles(quarter, disk::openForWrite);
    forReads = new OpenFiles(quarter, disk::openForRead);
    forAlignedReads = new OpenFiles(2 * quarter, disk::openForAlignedRead);
  }

  OpenFiles forWrites() {
    return forWrites;
  }

  OpenFiles forReads() {
    return forReads;
  }

  OpenFiles forAlignedReads() {
    return forAlignedReads;
  }

  void forget(long segment) {
    forWrites.forget(segment);
    forReads.forget(segment);
    forAlignedReads.forget(segment);
  }

  void close() {
    forWrites.close();
    forReads.close();
    forAlignedReads.close();
  }
}
