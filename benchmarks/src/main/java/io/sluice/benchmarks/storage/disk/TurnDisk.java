package io.sluice.benchmarks.storage.disk;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;

/** A disk whose files are read and written in turns only. */
public final class TurnDisk extends ForwardingDisk {
  private final DiskTurn turn;

  /**
   * @param disk belongs to this one from here
   */
  public TurnDisk(Disk disk, DiskTurn turn) {
    super(disk);
    this.turn = turn;
  }

  @Override
  protected DiskFile wrap(String name, DiskFile file) {
    return new ForwardingFile(file) {
      @Override
      protected int admit(int bytes, DiskTurn.Access<IOException> access) throws IOException {
        return turn.access(bytes, access);
      }

      @Override
      protected void wrote(long position, int length) {}

      @Override
      protected void read(long position, int length) {}
    };
  }
}
