package io.sluice.server.segment;

import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads that do not stop short. */
final class FullReads {
  private FullReads() {}

  /** Fills the buffer to its limit; false if the file ends first. */
  static boolean read(DiskFile file, ByteBuffer target, long position) throws IOException {
    long next = position;
    while (target.hasRemaining()) {
      int read = file.read(target, next);
      if (read < 0) {
        return false;
      }
      next += read;
    }
    return true;
  }
}
