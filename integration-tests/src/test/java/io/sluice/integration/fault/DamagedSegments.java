package io.sluice.integration.fault;

import io.sluice.common.block.BlockHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Damage in a server's segment files, of the shuffle that wrote last: bytes that become zeros, so
 * that blocks behind them in their extents have no beginning any more. Files are read as
 * docs/storage-format.md has them.
 */
public final class DamagedSegments {
  private static final int UNIT_MAGIC = 0x534C4355;
  private static final int PAGE = 4096;

  /** Of a unit's header, up to the payload's length. */
  private static final int UNIT_HEADER_BYTES = 20;

  private DamagedSegments() {}

  /**
   * The payload of a unit: the blocks of several partitions, if they are small.
   *
   * @param bytes without padding
   */
  private record Payload(Path file, long offset, int bytes) {}

  /**
   * Zeroes the header of a block in each of so many units, which lie at equal distances among all.
   * In one unit it is the second block, in the next the fifth and so on, so that they are of
   * several partitions.
   *
   * @param directory whose segment files, at any depth, are taken
   * @throws IllegalStateException if there are not as many units
   */
  public static void zeroHeaders(Path directory, int count) throws IOException {
    List<Payload> payloads = payloads(directory);
    if (payloads.size() < count) {
      throw new IllegalStateException(payloads.size() + " units on the disk");
    }
    for (int taken = 0; taken < count; taken++) {
      Payload payload = payloads.get((int) ((long) taken * payloads.size() / count));
      zero(payload.file(), block(payload, 1 + 3 * taken), BlockHeader.LENGTH);
    }
  }

  /** Zeroes all blocks of the unit in the middle; its own header stays. */
  public static void zeroUnit(Path directory) throws IOException {
    List<Payload> payloads = payloads(directory);
    Payload payload = payloads.get(payloads.size() / 2);
    zero(payload.file(), payload.offset(), payload.bytes());
  }

  private static List<Payload> payloads(Path directory) throws IOException {
    List<Payload> payloads = new ArrayList<>();
    for (Path segment : segments(directory)) {
      addPayloads(segment, payloads);
    }
    return payloads;
  }

  /** Of one shuffle, the last one. */
  private static List<Path> segments(Path directory) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(directory)) {
      all = files.filter(file -> file.toString().endsWith(".seg")).sorted().toList();
    }
    int last =
        all.stream()
            .map(DamagedSegments::shuffle)
            .max(Comparator.naturalOrder())
            .orElseThrow(() -> new IllegalStateException("no segments in " + directory));
    return all.stream().filter(segment -> shuffle(segment) == last).toList();
  }

  /** NUMBER-APPLICATION-SHUFFLE-GENERATION.seg; an application is a UUID. */
  private static int shuffle(Path segment) {
    String[] parts = segment.getFileName().toString().split("-", -1);
    return Integer.parseInt(parts[parts.length - 2]);
  }

  private static void addPayloads(Path segment, List<Payload> payloads) throws IOException {
    try (FileChannel file = FileChannel.open(segment, StandardOpenOption.READ)) {
      long unit = 0;
      while (unit + UNIT_HEADER_BYTES <= file.size()) {
        ByteBuffer header = read(file, unit, UNIT_HEADER_BYTES);
        if (header.getInt(0) == UNIT_MAGIC) {
          long headerPages = (header.getInt(8) + PAGE - 1L) / PAGE;
          payloads.add(new Payload(segment, unit + headerPages * PAGE, header.getInt(16)));
          unit += header.getInt(12);
        } else {
          unit += PAGE;
        }
      }
    }
  }

  /** Where a block of a unit begins, counted from 0; extents lie back to back. */
  private static long block(Payload payload, int number) throws IOException {
    try (FileChannel file = FileChannel.open(payload.file(), StandardOpenOption.READ)) {
      long at = payload.offset();
      for (int passed = 0; passed < number; passed++) {
        ByteBuffer header = read(file, at, BlockHeader.LENGTH);
        at += BlockHeader.LENGTH + BlockHeader.storedLength(header, 0);
      }
      if (at + BlockHeader.LENGTH > payload.offset() + payload.bytes()) {
        throw new IllegalStateException("a unit of no more than " + number + " blocks");
      }
      return at;
    }
  }

  private static ByteBuffer read(FileChannel file, long offset, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      if (file.read(buffer, offset + buffer.position()) < 0) {
        throw new IOException("ends within a unit, at " + offset);
      }
    }
    return buffer.flip();
  }

  private static void zero(Path path, long offset, int bytes) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocate(bytes);
      while (zeros.hasRemaining()) {
        file.write(zeros, offset + zeros.position());
      }
    }
  }
}
