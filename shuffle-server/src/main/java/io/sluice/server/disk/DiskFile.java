package io.sluice.server.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file of a {@link Disk}. Positional calls may come from several threads at once. */
public interface DiskFile extends Closeable {
  /**
   * Writes some or all of {@code source.remaining()} bytes, as the operating system pleases.
   * Position, remaining bytes and the buffer's address must be aligned, the buffer direct.
   *
   * @return bytes written, by which the buffer's position has moved
   */
  int write(ByteBuffer source, long position) throws IOException;

  /**
   * Reads some or all of {@code target.remaining()} bytes.
   *
   * @return bytes read, by which the buffer's position has moved; -1 at the end of the file
   */
  int read(ByteBuffer target, long position) throws IOException;

  long length() throws IOException;

  /** Cuts the file; a shorter file stays as it is. */
  void truncate(long length) throws IOException;

  /** Makes the file's bytes and length survive power loss. */
  void force() throws IOException;
}
