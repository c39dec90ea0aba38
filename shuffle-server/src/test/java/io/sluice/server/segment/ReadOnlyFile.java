package io.sluice.server.segment;

import io.sluice.server.disk.DiskFile;
import java.nio.ByteBuffer;

/** A file for tests of what reads alone. */
abstract class ReadOnlyFile implements DiskFile {
  @Override
  public int write(ByteBuffer source, long position) {
    throw new AssertionError("only read");
  }

  @Override
  public void truncate(long length) {
    throw new AssertionError("only read");
  }

  @Override
  public void force() {
    throw new AssertionError("only read");
  }

  @Override
  public void close() {}
}
