package io.sluice.tier.hdfs;

import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts itself out once, however often it is closed, and gives its connection back. */
final class CountedFile implements DiskFile {
  private final DiskFile file;
  private final AtomicInteger openFiles;
  private final FileAccess access;
  private final AtomicBoolean closed = new AtomicBoolean();

  CountedFile(DiskFile file, AtomicInteger openFiles, FileAccess access) {
    this.file = file;
    this.openFiles = openFiles;
    this.access = access;
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    return file.write(source, position);
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    return file.read(target, position);
  }

  @Override
  public long length() throws IOException {
    return file.length();
  }

  @Override
  public void truncate(long length) throws IOException {
    file.truncate(length);
  }

  @Override
  public void force() throws IOException {
    file.force();
  }

  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      openFiles.decrementAndGet();
      try {
        file.close();
      } finally {
        access.close();
      }
    }
  }
}
