package io.sluice.benchmarks.storage.floor;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A file for whole sequential passes.
 *
 * @param bytes a multiple of the unit
 * @param unit bytes of an access, a multiple of 4096
 * @param direct with O_DIRECT; else through the page cache, and a write ends with fsync
 */
record RawFile(Path path, long bytes, int unit, boolean direct) {
  private static final int ALIGNMENT = 4096;

  void write() throws IOException {
    ByteBuffer buffer = buffer();
    SplittableRandom random = new SplittableRandom(unit);
    while (buffer.hasRemaining()) {
      buffer.putLong(random.nextLong());
    }
    try (FileChannel file = open(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long at = 0; at < bytes; at += unit) {
        // So that no two units are the same, whatever lies below.
        buffer.putLong(0, at);
        buffer.clear();
        for (long next = at; buffer.hasRemaining(); ) {
          next += file.write(buffer, next);
        }
      }
      if (!direct) {
        file.force(true);
      }
    }
  }

  void read() throws IOException {
    ByteBuffer buffer = buffer();
    try (FileChannel file = open(StandardOpenOption.READ)) {
      for (long at = 0; at < bytes; at += unit) {
        buffer.clear();
        for (long next = at; buffer.hasRemaining(); ) {
          int read = file.read(buffer, next);
          if (read < 0) {
            throw new EOFException(path + " ends at " + next);
          }
          next += read;
        }
        if (buffer.getLong(0) != at) {
          throw new IOException(path + " holds something else at " + at);
        }
      }
    }
  }

  void delete() throws IOException {
    Files.deleteIfExists(path);
  }

  private FileChannel open(OpenOption... options) throws IOException {
    Set<OpenOption> all = new HashSet<>(Set.of(options));
    if (direct) {
      all.add(ExtendedOpenOption.DIRECT);
    }
    return FileChannel.open(path, all);
  }

  private ByteBuffer buffer() {
    ByteBuffer aligned = ByteBuffer.allocateDirect(unit + ALIGNMENT).alignedSlice(ALIGNMENT);
    return aligned.limit(unit).slice();
  }
}
