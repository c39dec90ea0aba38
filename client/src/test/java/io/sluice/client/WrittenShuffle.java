package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Random map outputs, what was written in them, and whether a reader returned exactly that. */
final class WrittenShuffle {
  record Attempt(int mapIndex, long attemptId) {}

  record Place(int mapIndex, int partition) {}

  private final Random random;
  private final int partitions;
  private final Map<Place, List<byte[]>> winners = new HashMap<>();
  private final Map<Integer, Long> winningAttempts = new HashMap<>();

  WrittenShuffle(Random random, int partitions) {
    this.random = random;
    this.partitions = partitions;
  }

  /** Writes an attempt of random shape; the caller finishes it. */
  void write(MapOutput output, Attempt attempt, boolean winner, int maxBlock)
      throws InterruptedException {
    for (int partition = 0; partition < partitions; partition++) {
      int blocks = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(random.nextInt(5) + 1);
      for (int i = 0; i < blocks; i++) {
        byte[] payload = new byte[1 + random.nextInt(random.nextInt(maxBlock) + 1)];
        random.nextBytes(payload);
        int flags = BlockHeader.codecFlags(random.nextInt(3));
        if (i == blocks - 1) {
          flags |= random.nextBoolean() ? BlockHeader.LAST : 0;
        } else if (random.nextInt(8) == 0) {
          flags |= BlockHeader.CONTINUES;
        }
        put(output, partition, payload, flags);
        if (winner) {
          winners
              .computeIfAbsent(new Place(attempt.mapIndex(), partition), k -> new ArrayList<>())
              .add(payload);
        }
      }
    }
    if (winner) {
      winningAttempts.put(attempt.mapIndex(), attempt.attemptId());
    }
  }

  private void put(MapOutput output, int partition, byte[] payload, int flags)
      throws InterruptedException {
    if (random.nextInt(10) == 0) {
      output.beginBlock(partition, payload.length).put(payload);
      output.cancelBlock();
    }
    int room = Math.min(output.maxBlockBytes(), payload.length + random.nextInt(100));
    ByteBuffer buffer = output.beginBlock(partition, room);
    assertThat(buffer.position()).isZero();
    assertThat(buffer.remaining()).isGreaterThanOrEqualTo(room);
    buffer.put(payload);
    output.endBlock(payload.length, payload.length, 1, flags);
  }

  ExpectedMaps expected(int firstPartition, int endPartition) {
    ArrayExpectedMaps.Builder builder = ArrayExpectedMaps.builder(firstPartition, endPartition);
    winningAttempts.forEach(
        (map, attempt) -> {
          int position = builder.add(map, attempt);
          for (int partition = firstPartition; partition < endPartition; partition++) {
            if (winners.containsKey(new Place(map, partition))) {
              builder.nonEmpty(position, partition);
            }
          }
        });
    return builder.build();
  }

  Set<Place> places(int firstPartition, int endPartition, int firstMap, int endMap) {
    Set<Place> places = new HashSet<>(winners.keySet());
    places.removeIf(
        p ->
            p.partition() < firstPartition
                || p.partition() >= endPartition
                || p.mapIndex() < firstMap
                || p.mapIndex() >= endMap);
    return places;
  }

  /** Reads to the end, checking the order promised; blocks by place, in the order they came. */
  static Map<Place, List<byte[]>> drain(BlockReader reader) throws InterruptedException {
    Map<Place, List<byte[]>> read = new HashMap<>();
    Place mustFollow = null;
    BlockReader.Block block;
    while ((block = reader.next()) != null) {
      Place place = new Place(block.mapIndex(), block.partition());
      if (mustFollow != null) {
        assertThat(place).as("a record goes on at once").isEqualTo(mustFollow);
      }
      mustFollow = block.continues() ? place : null;
      byte[] payload = new byte[block.payload().remaining()];
      block.payload().get(payload);
      assertThat(payload).hasSize(block.rawLength());
      read.computeIfAbsent(place, k -> new ArrayList<>()).add(payload);
    }
    assertThat(mustFollow).as("no record is left open").isNull();
    return read;
  }

  /** Exactly the winners' blocks of some places, whatever the order. */
  void assertExactly(Map<Place, List<byte[]>> read, Set<Place> places) {
    assertThat(read.keySet()).isEqualTo(places);
    for (Place place : places) {
      assertThat(sorted(read.getOrDefault(place, List.of())))
          .as("%s", place)
          .isEqualTo(sorted(winners.getOrDefault(place, List.of())));
    }
  }

  private static List<String> sorted(List<byte[]> blocks) {
    return blocks.stream().map(b -> b.length + " bytes " + Arrays.hashCode(b)).sorted().toList();
  }
}
