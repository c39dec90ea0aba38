package io.sluice.benchmarks.storage.disk;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A disk that is another one, but for the files it hands out. Owns the other one. */
public abstract class ForwardingDisk implements Disk {
  private final Disk disk;

  protected ForwardingDisk(Disk disk) {
    this.disk = disk;
  }

  /**
   * What users get in place of a file of the disk.
   *
   * @param name of the file; the same however often it is opened
   */
  protected abstract DiskFile wrap(String name, DiskFile file);

  @Override
  public final String name() {
    return disk.name();
  }

  @Override
  public final DiskFile create(String file) throws IOException {
    return wrap(file, disk.create(file));
  }

  @Override
  public final DiskFile openForWrite(String file) throws IOException {
    return wrap(file, disk.openForWrite(file));
  }

  @Override
  public final DiskFile openForRead(String file) throws IOException {
    return wrap(file, disk.openForRead(file));
  }

  @Override
  public final DiskFile openForAlignedRead(String file) throws IOException {
    return wrap(file, disk.openForAlignedRead(file));
  }

  @Override
  public final boolean bypassesPageCache() {
    return disk.bypassesPageCache();
  }

  @Override
  public final void forceNames(String folder) throws IOException {
    disk.forceNames(folder);
  }

  @Override
  public final List<FileEntry> list(String folder) throws IOException {
    return disk.list(folder);
  }

  @Override
  public final boolean holds(String name) throws IOException {
    return disk.holds(name);
  }

  @Override
  public void delete(String file) throws IOException {
    disk.delete(file);
  }

  @Override
  public final byte @Nullable [] readSmall(String file) throws IOException {
    return disk.readSmall(file);
  }

  @Override
  public final void replaceSmall(String file, byte[] content) throws IOException {
    disk.replaceSmall(file, content);
  }

  @Override
  public final void check() throws IOException {
    disk.check();
  }

  @Override
  public final long capacity() throws IOException {
    return disk.capacity();
  }

  @Override
  public final long free() throws IOException {
    return disk.free();
  }

  @Override
  public final int openFiles() {
    return disk.openFiles();
  }

  @Override
  public final void close() {
    disk.close();
  }
}
