package io.sluice.benchmarks.storage.floor;

import com.sun.nio.file.ExtendedOpenOption;
import io.sluice.benchmarks.storage.disk.DiskTurn;
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
 * Bytes for whole sequential passes, in as many files as are written at a time: file systems let
 * one write at a time extend a file.
 */
record RawFile(Path path, Shape shape) {
  /**
   * What files are made of.
   *
   * @param bytes a multiple of the unit for each file
   * @param direct with O_DIRECT; else through the page cache, and a write ends with fsync
   * @param unit bytes of a write
   * @param piece bytes of a read, which divide a unit; multiples of 4096 both
   */
  record Shape(long bytes, boolean direct, int files, int unit, int piece) {
    Shape {
      if (bytes % ((long) unit * files) != 0 || unit % piece != 0) {
        throw new IllegalArgumentException(
            bytes + " bytes in " + files + " files, units of " + unit + ", pieces of " + piece);
      }
    }

    /** Of about so many bytes. */
    static Shape of(long bytes, boolean direct, Accesses writing, int piece) {
      long whole = (long) writing.unit() * writing.underWay();
      return new Shape(bytes / whole * whole, direct, writing.underWay(), writing.unit(), piece);
    }

    long fileBytes() {
      return bytes / files;
    }
  }

  /**
   * Writes all files side by side, each in order.
   *
   * @param buffers of a unit, at least one for each file, which has its share of them in turns
   * @param turn when it may write
   */
  void write(RawBuffers buffers, DiskTurn turn) throws IOException, InterruptedException {
    int files = shape.files;
    atOnce("floor-write", files, number -> writeFile(number, buffers.share(number, files), turn));
  }

  private @Nullable Void writeFile(int number, List<ByteBuffer> buffers, DiskTurn turn)
      throws IOException {
    SplittableRandom random = new SplittableRandom(shape.unit);
    for (ByteBuffer buffer : buffers) {
      while (buffer.hasRemaining()) {
        buffer.putLong(random.nextLong());
      }
    }
    int turns = 0;
    long start = number * shape.fileBytes();
    try (FileChannel file = open(number, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long at = 0; at < shape.fileBytes(); at += shape.unit) {
        ByteBuffer buffer = buffers.get(turns++ % buffers.size()).clear();
        // So that no two pieces are the same, whatever lies below.
        for (int piece = 0; piece < shape.unit; piece += shape.piece) {
          buffer.putLong(piece, start + at + piece);
        }
        writeUnit(file, buffer, at, turn);
      }
      if (!shape.direct) {
        file.force(true);
      }
    }
    return null;
  }

  private static void writeUnit(FileChannel file, ByteBuffer buffer, long at, DiskTurn turn)
      throws IOException {
    long next = at;
    while (buffer.hasRemaining()) {
      long to = next;
      next += turn.access(buffer.remaining(), () -> file.write(buffer, to));
    }
  }

  /**
   * Reads everything once, in order.
   *
   * @param underWay reads at a time: each thread takes the next piece that nobody has taken
   * @param buffers of a piece, at least one for each of them, which has its share of them in turns
   * @param turn when it may read
   */
  void read(int underWay, RawBuffers buffers, DiskTurn turn)
      throws IOException, InterruptedException {
    List<FileChannel> opened = new ArrayList<>();
    try {
      for (int i = 0; i < shape.files; i++) {
        opened.add(open(i, StandardOpenOption.READ));
      }
      AtomicLong next = new AtomicLong();
      atOnce(
          "floor-read",
          underWay,
          number -> readFrom(opened, next, buffers.share(number, underWay), turn));
    } finally {
      for (FileChannel file : opened) {
        file.close();
      }
    }
  }

  @FunctionalInterface
  private interface Pass {
    @Nullable Void run(int number) throws IOException;
  }

  private static void atOnce(String name, int threads, Pass pass)
      throws IOException, InterruptedException {
    List<FutureTask<Void>> others = new ArrayList<>();
    for (int i = 1; i < threads; i++) {
      int number = i;
      FutureTask<Void> task = new FutureTask<>(() -> pass.run(number));
      others.add(task);
      new Thread(task, name + "-" + i).start();
    }
    try {
      pass.run(0);
    } finally {
      for (FutureTask<Void> task : others) {
        await(task);
      }
    }
  }

  private static void await(FutureTask<Void> task) throws IOException, InterruptedException {
    try {
      task.get();
    } catch (ExecutionException e) {
      throw new IOException("an access to the raw disk failed", e.getCause());
    }
  }

  private @Nullable Void readFrom(
      List<FileChannel> opened, AtomicLong next, List<ByteBuffer> buffers, DiskTurn turn)
      throws IOException {
    int turns = 0;
    int piece = shape.piece;
    for (long at = next.getAndAdd(piece); at < shape.bytes; at = next.getAndAdd(piece)) {
      ByteBuffer buffer = buffers.get(turns++ % buffers.size()).clear();
      int number = (int) (at / shape.fileBytes());
      readPiece(opened.get(number), buffer, at - number * shape.fileBytes(), turn);
      if (buffer.getLong(0) != at) {
        throw new IOException(file(number) + " holds something else at " + at);
      }
    }
    return null;
  }

  private void readPiece(FileChannel file, ByteBuffer buffer, long at, DiskTurn turn)
      throws IOException {
    long next = at;
    while (buffer.hasRemaining()) {
      long from = next;
      int read = turn.access(buffer.remaining(), () -> file.read(buffer, from));
      if (read < 0) {
        throw new EOFException(path + " ends at " + from);
      }
      next += read;
    }
  }

  void delete() throws IOException {
    for (int i = 0; i < shape.files; i++) {
      Files.deleteIfExists(file(i));
    }
  }

  private Path file(int number) {
    return path.resolveSibling(path.getFileName() + "-" + number);
  }

  private FileChannel open(int number, OpenOption... options) throws IOException {
    Set<OpenOption> all = new HashSet<>(Set.of(options));
    if (shape.direct) {
      all.add(ExtendedOpenOption.DIRECT);
    }
    return FileChannel.open(file(number), all);
  }
}
