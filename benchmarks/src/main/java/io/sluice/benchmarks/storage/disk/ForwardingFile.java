package io.sluice.benchmarks.storage.disk;

import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is another one, and hears of its accesses. Owns the other one. */
public abstract class ForwardingFile implements DiskFile {
  private final DiskFile file;

  protected ForwardingFile(DiskFile file) {
    this.file = file;
  }

  /** So many bytes have been written. */
  protected abstract void wrote(long position, int length);

  /** So many bytes have been read. */
  protected abstract void read(long position, int length);

  /** Carries out a read or write of so many bytes, at once or when it may be. */
  protected int admit(int bytes, DiskTurn.Access<IOException> access) throws IOException {
    return access.run();
  }

  @Override
  public final int write(ByteBuffer source, long position) throws IOException {
    int written = admit(source.remaining(), () -> file.write(source, position));
    wrote(position, written);
    return written;
  }

  @Override
  public final int read(ByteBuffer target, long position) throws IOException {
    int read = admit(target.remaining(), () -> file.read(target, position));
    if (read > 0) {
      read(position, read);
    }
    return read;
  }

  @Override
  public final long length() throws IOException {
    return file.length();
  }

  @Override
  public final void truncate(long length) throws IOException {
    file.truncate(length);
  }

  @Override
  public final void force() throws IOException {
    file.force();
  }

  @Override
  public final void close() throws IOException {
    file.close();
  }
}
