package io.sluice.benchmarks.storage.disk;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;

/** Counts what is asked of a disk's files. */
public final class CountingDisk extends ForwardingDisk {
  private final AccessCounter counter = new AccessCounter();

  /**
   * @param disk belongs to this one from here
   */
  public CountingDisk(Disk disk) {
    super(disk);
  }

  /** Since it was opened. */
  public AccessCounts counts() {
    return counter.counts();
  }

  @Override
  protected DiskFile wrap(String name, DiskFile file) {
    return new ForwardingFile(file) {
      @Override
      protected void wrote(long position, int length) {
        counter.wrote(name, position, length);
      }

      @Override
      protected void read(long position, int length) {
        counter.read(name, position, length);
      }
    };
  }
}
