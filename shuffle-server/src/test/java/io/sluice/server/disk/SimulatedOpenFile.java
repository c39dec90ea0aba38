package io.sluice.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * A file of a {@link SimulatedDisk} that a process has open. It fails as the disk's {@link
 * DiskFaults} say, and takes no access that O_DIRECT would refuse. Guarded by the disk's lock.
 */
final class SimulatedOpenFile implements DiskFile {
  /** What a file was opened for. */
  enum Use {
    WRITE,
    READ,
    ALIGNED_READ
  }

  private final SimulatedDisk disk;
  private final DiskFaults faults;
  private final String file;
  private final SimulatedFile bytes;
  private final Use use;
  private final int openedIn;
  private boolean open = true;

  /** Whoever opens holds the disk's lock. */
  SimulatedOpenFile(SimulatedDisk disk, String file, SimulatedFile bytes, Use use) {
    this.disk = disk;
    this.faults = disk.faults();
    this.file = file;
    this.bytes = bytes;
    this.use = use;
    this.openedIn = disk.session();
  }

  private void check() throws IOException {
    disk.checkAlive();
    if (!open || openedIn != disk.session()) {
      throw new IOException("file is closed");
    }
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    faults.beforeWrite();
    synchronized (disk.lock()) {
      check();
      if (use != Use.WRITE || !isAligned(source, position)) {
        throw new AssertionError("unaligned write, or to a file opened for reading");
      }
      IntPredicate torn = faults.takeTornWrite();
      if (torn != null) {
        tear(source, (int) position, torn);
        throw new IOException("simulated death during a write");
      }
      faults.onWrite();
      long room = disk.capacity() - disk.used() + bytes.length() - position;
      int size = (int) Math.min(Math.min(source.remaining(), faults.writeSizeMax()), room);
      if (size <= 0) {
        throw new IOException("simulated disk is full");
      }
      byte[] content = new byte[size];
      source.get(content);
      bytes.write((int) position, content, 0, size);
      return size;
    }
  }

  private static boolean isAligned(ByteBuffer buffer, long position) {
    return buffer.isDirect()
        && position % Disk.ALIGNMENT == 0
        && buffer.remaining() % Disk.ALIGNMENT == 0
        && buffer.alignmentOffset(buffer.position(), Disk.ALIGNMENT) == 0;
  }

  private void tear(ByteBuffer source, int position, IntPredicate pageSurvives) {
    disk.die();
    byte[] page = new byte[Disk.ALIGNMENT];
    for (int i = 0; source.hasRemaining(); i++) {
      source.get(page);
      if (pageSurvives.test(i)) {
        bytes.write(position + i * Disk.ALIGNMENT, page, 0, Disk.ALIGNMENT);
      }
    }
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    synchronized (disk.lock()) {
      check();
      if (use == Use.ALIGNED_READ && !isAligned(target, position)) {
        throw new AssertionError("unaligned read of a file opened for aligned ones");
      }
      faults.onRead(file, position);
      int size = (int) Math.min(target.remaining(), bytes.length() - position);
      if (size <= 0) {
        return target.hasRemaining() ? -1 : 0;
      }
      byte[] content = new byte[size];
      bytes.read(openedIn, (int) position, content, size);
      target.put(content);
      return size;
    }
  }

  @Override
  public long length() throws IOException {
    synchronized (disk.lock()) {
      check();
      return bytes.length();
    }
  }

  @Override
  public void truncate(long length) throws IOException {
    faults.beforeTruncate();
    synchronized (disk.lock()) {
      check();
      faults.onTruncate();
      bytes.truncate((int) length);
    }
  }

  @Override
  public void force() throws IOException {
    faults.beforeForce();
    synchronized (disk.lock()) {
      check();
      faults.onForce();
      bytes.sync();
    }
  }

  @Override
  public void close() {
    synchronized (disk.lock()) {
      if (open && openedIn == disk.session()) {
        disk.oneFileLess();
      }
      open = false;
    }
  }
}
