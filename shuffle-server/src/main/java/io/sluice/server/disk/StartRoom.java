package io.sluice.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Room that a directory keeps for the next start: a file that is of no use but to be deleted. A
 * start has to write some: the page that finds out about O_DIRECT, its incarnation, the catalog's
 * new log. On a disk that others have filled to the last byte it could not, and nobody could read
 * what lies there. Blocks.
 */
final class StartRoom {
  private static final Logger log = LoggerFactory.getLogger(StartRoom.class);
  private static final String FILE = "start-room";
  private static final int PIECE = 64 << 10;

  private StartRoom() {}

  /**
   * Makes the file, unless it is there.
   *
   * @param bytes of it
   * @param spare that must be free besides
   */
  static void keep(Path directory, long bytes, long spare) throws IOException {
    Path file = directory.resolve(FILE);
    long kept = length(file);
    if (kept >= bytes || free(directory) + kept < bytes + spare) {
      return;
    }
    try {
      fill(file, bytes);
    } catch (IOException e) {
      deletePart(file, e);
      throw e;
    }
  }

  private static void deletePart(Path file, IOException failure) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** With what does not get smaller where a file system compresses. */
  private static void fill(Path file, long bytes) throws IOException {
    byte[] noise = new byte[PIECE];
    SplittableRandom random = new SplittableRandom(bytes);
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      while (channel.position() < bytes) {
        random.nextBytes(noise);
        ByteBuffer piece = ByteBuffer.wrap(noise);
        piece.limit((int) Math.min(PIECE, bytes - channel.position()));
        while (piece.hasRemaining()) {
          channel.write(piece);
        }
      }
    }
  }

  /** A start begins: deletes the file if less is free than it takes. */
  static void takeIfFull(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    long kept = length(file);
    long free = kept == 0 ? 0 : free(directory);
    if (free < kept && deleted(file)) {
      log.warn(
          "{}: {} bytes are free; {} more, which were kept for a start, are now",
          directory,
          free,
          kept);
    }
  }

  /** One that may not be deleted fails no start that what is free may be enough for. */
  private static boolean deleted(Path file) {
    try {
      Files.delete(file);
      return true;
    } catch (IOException e) {
      log.warn("{}, which was kept for a start on a full disk, cannot be deleted", file, e);
      return false;
    }
  }

  private static long length(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException none) {
      return 0;
    }
  }

  private static long free(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }
}
