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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

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

  /**
   * Reads the file once, in order.
   *
   * @param underWay reads at a time: each thread takes the next unit that nobody has taken
   */
  void read(int underWay) throws IOException, InterruptedException {
    try (FileChannel file = open(StandardOpenOption.READ)) {
      AtomicLong next = new AtomicLong();
      List<FutureTask<Void>> others = new ArrayList<>();
      for (int i = 1; i < underWay; i++) {
        FutureTask<Void> task = new FutureTask<>(() -> readFrom(file, next));
        others.add(task);
        new Thread(task, "floor-read-" + i).start();
      }
      try {
        readFrom(file, next);
      } finally {
        for (FutureTask<Void> task : others) {
          await(task);
        }
      }
    }
  }

  private static void await(FutureTask<Void> task) throws IOException, InterruptedException {
    try {
      task.get();
    } catch (ExecutionException e) {
      throw new IOException("a read of the raw disk failed", e.getCause());
    }
  }

  private @Nullable Void readFrom(FileChannel file, AtomicLong next) throws IOException {
    ByteBuffer buffer = buffer();
    for (long at = next.getAndAdd(unit); at < bytes; at = next.getAndAdd(unit)) {
      buffer.clear();
      readUnit(file, buffer, at);
      if (buffer.getLong(0) != at) {
        throw new IOException(path + " holds something else at " + at);
      }
    }
    return null;
  }

  private void readUnit(FileChannel file, ByteBuffer buffer, long at) throws IOException {
    for (long from = at; buffer.hasRemaining(); ) {
      int read = file.read(buffer, from);
      if (read < 0) {
        throw new EOFException(path + " ends at " + from);
      }
      from += read;
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
