package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.fake.StoredBlock;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Outputs of maps that ran at the same time, many of whose records are longer than a block, as
 * servers store them; and whether a reader gives exactly those. Attempts are 100 and the number of
 * the map.
 */
final class ChainedShuffle {
  record Pair(int map, int partition) {}

  record Name(int map, int partition, int sequence) {}

  private final Random random;
  private final int partitions;
  private final Crc32c crc = new Crc32c();
  private final Map<Pair, List<StoredBlock>> blocks = new HashMap<>();
  private final Set<Integer> maps = new TreeSet<>();
  private long longest;

  ChainedShuffle(Random random, int partitions) {
    this.random = random;
    this.partitions = partitions;
  }

  /** Random records of a map in every partition, or in most. */
  void write(int map, int mostBlocks, int maxBlock) {
    for (int partition = 0; partition < partitions; partition++) {
      int records = random.nextInt(6) == 0 ? 0 : 1 + random.nextInt(3);
      for (int i = 0; i < records; i++) {
        int[] lengths = random.ints(1 + random.nextInt(mostBlocks), 1, maxBlock + 1).toArray();
        writeRecord(map, partition, i == records - 1, lengths);
      }
    }
  }

  /** One record, in so many blocks as there are lengths. */
  void writeRecord(int map, int partition, boolean last, int... lengths) {
    maps.add(map);
    List<StoredBlock> stored =
        blocks.computeIfAbsent(new Pair(map, partition), key -> new ArrayList<>());
    long bytes = 0;
    for (int i = 0; i < lengths.length; i++) {
      boolean ends = i == lengths.length - 1;
      int flags =
          (i > 0 ? BlockHeader.CONTINUED : 0)
              | (ends ? 0 : BlockHeader.CONTINUES)
              | (ends && last ? BlockHeader.LAST : 0);
      byte[] payload = new byte[lengths[i]];
      random.nextBytes(payload);
      ByteBuffer block = ByteBuffer.allocate(BlockHeader.LENGTH + payload.length);
      BlockHeader.write(
          block,
          0,
          flags,
          partition,
          map,
          100 + map,
          stored.size(),
          payload.length,
          payload.length,
          i == 0 ? 1 : 0);
      block.put(BlockHeader.LENGTH, payload);
      BlockHeader.seal(block, 0, crc);
      stored.add(new StoredBlock(block.array()));
      bytes += block.capacity();
    }
    longest = Math.max(longest, lengths.length > 1 ? bytes : 0);
  }

  /** Bytes of the longest record that is longer than a block. */
  long longest() {
    return longest;
  }

  /** Bytes of all blocks of a partition. */
  long bytes(int partition) {
    return blocks.entrySet().stream()
        .filter(entry -> entry.getKey().partition() == partition)
        .flatMap(entry -> entry.getValue().stream())
        .mapToLong(block -> block.buffer().limit())
        .sum();
  }

  /** Every server of a set has all blocks of its partitions: a block of each map in turn. */
  void storeInTurn(FakeCluster cluster, ShufflePlacement placement) {
    store(cluster, placement, false);
  }

  /** The same in any order, on each server another one. */
  void storeAnyhow(FakeCluster cluster, ShufflePlacement placement) {
    store(cluster, placement, true);
  }

  private void store(FakeCluster cluster, ShufflePlacement placement, boolean anyhow) {
    for (int partition = 0; partition < partitions; partition++) {
      for (int replica = 0; replica < placement.replicas(0); replica++) {
        FakeServer server = cluster.servers.get(placement.server(0, partition, replica));
        List<StoredBlock> mixed = inTurn(partition);
        if (anyhow) {
          Collections.shuffle(mixed, random);
        }
        server.blocks(cluster.shuffle, partition).addAll(mixed);
      }
    }
  }

  private List<StoredBlock> inTurn(int partition) {
    List<StoredBlock> mixed = new ArrayList<>();
    boolean more = true;
    for (int i = 0; more; i++) {
      more = false;
      for (int map : maps) {
        List<StoredBlock> ofMap = blocks.getOrDefault(new Pair(map, partition), List.of());
        if (i < ofMap.size()) {
          mixed.add(ofMap.get(i));
          more = true;
        }
      }
    }
    return mixed;
  }

  ExpectedMaps expected(int first, int end) {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(first, end);
    for (int map : maps) {
      int position = expected.add(map, 100 + map);
      for (int partition = first; partition < end; partition++) {
        if (blocks.containsKey(new Pair(map, partition))) {
          expected.nonEmpty(position, partition);
        }
      }
    }
    return expected.build();
  }

  /** Where a reader is, and whether what it has given is right. */
  final class Check {
    private final Map<Name, byte[]> left = new HashMap<>();
    private @Nullable Name mustFollow;

    Check(int first, int end, int firstMap, int endMap) {
      blocks.forEach(
          (pair, stored) -> {
            if (pair.partition() >= first
                && pair.partition() < end
                && pair.map() >= firstMap
                && pair.map() < endMap) {
              stored.forEach(block -> left.put(name(block), payload(block.buffer())));
            }
          });
    }

    /** A block has come. */
    void add(BlockReader.Block block) {
      Name name = new Name(block.mapIndex(), block.partition(), block.sequence());
      if (mustFollow != null) {
        assertThat(name).as("a record goes on at once").isEqualTo(mustFollow);
      }
      mustFollow = block.continues() ? new Name(name.map, name.partition, name.sequence + 1) : null;
      byte[] payload = new byte[block.payload().remaining()];
      block.payload().get(payload);
      assertThat(payload).as("%s, once", name).isEqualTo(left.remove(name));
    }

    /** Nothing more comes. */
    void end() {
      assertThat(left.keySet()).as("not delivered").isEmpty();
      assertThat(mustFollow).as("no record is left open").isNull();
    }

    /** Maps of which something has not come. */
    Set<Integer> lacking() {
      return left.keySet().stream().map(Name::map).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Reads to the end. */
    void all(BlockReader reader) throws InterruptedException {
      BlockReader.Block block;
      while ((block = reader.next()) != null) {
        add(block);
      }
      end();
    }
  }

  private static Name name(StoredBlock block) {
    return new Name(block.mapIndex(), block.partition(), block.sequence());
  }

  private static byte[] payload(ByteBuffer block) {
    byte[] payload = new byte[block.limit() - BlockHeader.LENGTH];
    block.get(BlockHeader.LENGTH, payload);
    return payload;
  }

  /** Adds up what a reader says that it holds. */
  static final class Held implements ReaderMemory {
    long now;
    long most;

    @Override
    public long credit(long wanted) {
      return wanted;
    }

    @Override
    public void held(long bytes) {
      now += bytes;
      most = Math.max(most, now);
    }
  }
}
