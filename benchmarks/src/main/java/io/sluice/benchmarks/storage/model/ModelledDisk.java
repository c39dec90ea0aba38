package io.sluice.benchmarks.storage.model;

import io.sluice.benchmarks.storage.disk.ForwardingDisk;
import io.sluice.benchmarks.storage.disk.ForwardingFile;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.util.Map;

/** A real directory whose accesses take as long as the spindle's. */
final class ModelledDisk extends ForwardingDisk {
  private final Spindle spindle;
  // Where files lie; outlives the disk's being closed and opened again.
  private final Map<String, FileLayout> layouts;

  ModelledDisk(Disk disk, Spindle spindle, Map<String, FileLayout> layouts) {
    super(disk);
    this.spindle = spindle;
    this.layouts = layouts;
  }

  @Override
  public void delete(String file) throws IOException {
    super.delete(file);
    layouts.remove(file);
  }

  @Override
  protected DiskFile wrap(String name, DiskFile file) {
    FileLayout layout = layouts.computeIfAbsent(name, n -> new FileLayout(spindle));
    return new ForwardingFile(file) {
      @Override
      protected void wrote(long position, int length) {
        spindle.await(layout.write(position, length));
      }

      @Override
      protected void read(long position, int length) {
        spindle.await(layout.read(position, length));
      }
    };
  }
}
