package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.WrittenShuffle.Place;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeDriver;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.fake.StoredBlock;
import io.sluice.client.placement.Placements;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.Advice;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Servers that go, come back with and without what they had, fall silent, leave, and refuse what
 * they please, while maps push: whatever an attempt that ends well has written is where a reader of
 * all epochs finds it, unless a server lost it afterwards; and no buffer stays.
 */
class ReroutePropertyTest {
  private static final int PARTITIONS = 6;
  private static final int MAPS = 4;
  private static final ErrorCode[] REFUSALS = {
    ErrorCode.PARTITION_FULL,
    ErrorCode.NO_DISK_SPACE,
    ErrorCode.SHUTTING_DOWN,
    ErrorCode.DRAINING,
    ErrorCode.NO_MEMORY
  };

  /** How a map's winner was written. */
  private record Winner(long attempt, int first, int last, Map<Integer, List<byte[]>> blocks) {}

  @Property(tries = 250)
  void whatWasAcknowledgedIsFoundInSomeEpoch(@ForAll long seed) throws InterruptedException {
    new Run(seed).run();
  }

  private static final class Run {
    final Random random;
    final FakeCluster cluster;
    final FakeDriver driver;
    final SluiceClient client;
    final ShufflePlacement placement;
    final Map<Integer, Winner> winners = new HashMap<>();
    long nextAttempt;

    Run(long seed) {
      random = new Random(seed);
      cluster = new FakeCluster(2 + random.nextInt(4), seed);
      cluster.faults.partialGrant = random.nextDouble() * 0.5;
      cluster.faults.withholdRefund = random.nextDouble() * 0.3;
      cluster.faults.dropConnectionPerPush = random.nextInt(3) == 0 ? 0.05 : 0;
      cluster.servers.forEach(server -> server.seedCredit = 4096L << random.nextInt(5));
      driver = cluster.driver(cluster.placement(PARTITIONS));
      placement = driver.placement();
      client =
          cluster.client(
              ClientConfig.builder()
                  .frameBytes(16 * 1024)
                  .maxBlockBytes(32 * 1024)
                  .maxInFlightBytes(96 * 1024)
                  .suspectAfter(Duration.ofSeconds(2))
                  .reconnectDeadline(Duration.ofSeconds(3))
                  .blockDeadline(Duration.ofSeconds(10))
                  .build(),
              Placements.from(driver));
    }

    void run() throws InterruptedException {
      for (int map = 0; map < MAPS; map++) {
        scheduleFaults();
        for (int tries = 0; tries < 4 && !winners.containsKey(map); tries++) {
          attempt(map);
        }
      }
      calm();
      read();
      client.close();
      assertThat(cluster.activeBytes()).as("direct memory left").isZero();
    }

    // --------------------------------------------------------------------------------- writing

    private void attempt(int map) throws InterruptedException {
      long attempt = nextAttempt++;
      Map<Integer, List<byte[]>> written = new HashMap<>();
      try (MapOutput output = client.openMapOutput(placement, map, attempt)) {
        int blocks = random.nextInt(60);
        for (int i = 0; i < blocks; i++) {
          if (random.nextInt(8) == 0) {
            cluster.loop.runFor(Duration.ofMillis(random.nextInt(400)).toNanos());
          }
          write(output, random.nextInt(PARTITIONS), written);
          if (random.nextInt(20) == 0) {
            output.flush();
          }
        }
        if (random.nextInt(12) == 0) {
          return; // killed
        }
        output.finish();
        winners.put(map, new Winner(attempt, output.firstEpoch(), output.lastEpoch(), written));
      } catch (SluiceException failed) {
        assertThat(failed.code().advice()).as(failed.getMessage()).isNotEqualTo(Advice.ABORT);
      }
    }

    private void write(MapOutput output, int partition, Map<Integer, List<byte[]>> written)
        throws InterruptedException {
      byte[] payload = new byte[1 + random.nextInt(random.nextInt(30_000) + 1)];
      random.nextBytes(payload);
      ByteBuffer room = output.beginBlock(partition, payload.length);
      room.put(payload);
      output.endBlock(payload.length, payload.length, 1, 0);
      written.computeIfAbsent(partition, p -> new ArrayList<>()).add(payload);
    }

    // ---------------------------------------------------------------------------------- faults

    private void scheduleFaults() {
      int faults = random.nextInt(4);
      for (int i = 0; i < faults; i++) {
        FakeServer victim = cluster.servers.get(random.nextInt(cluster.servers.size()));
        long start = Duration.ofMillis(random.nextInt(3000)).toNanos();
        long length = Duration.ofMillis(random.nextInt(6000)).toNanos();
        int kind = random.nextInt(6);
        ErrorCode refusal = REFUSALS[random.nextInt(REFUSALS.length)];
        int partition = random.nextInt(PARTITIONS);
        cluster.loop.schedule(
            start,
            () -> {
              if (kind == 5) {
                victim.frozenUntil = cluster.loop.now() + length;
              } else {
                begin(victim, kind, refusal, partition);
              }
            });
        cluster.loop.schedule(start + length, () -> end(victim));
      }
    }

    private static void begin(FakeServer victim, int kind, ErrorCode refusal, int partition) {
      switch (kind) {
        case 0 -> {
          victim.up = false;
          victim.restart(false);
        }
        case 1 -> {
          victim.up = false;
          victim.restartIntact();
        }
        case 2 -> victim.silent = true;
        case 3 -> victim.goAway();
        default ->
            victim.judge =
                block ->
                    refusal != ErrorCode.PARTITION_FULL || block.partition() == partition
                        ? refusal
                        : null;
      }
    }

    private static void end(FakeServer victim) {
      victim.up = true;
      if (victim.silent) {
        // What was said meanwhile is lost, so the connections are.
        victim.silent = false;
        victim.dropConnections();
      }
      victim.judge = block -> null;
    }

    /** Nothing goes wrong any more; connections that missed messages are made anew. */
    private void calm() {
      cluster.loop.runFor(Duration.ofSeconds(20).toNanos());
      cluster.servers.forEach(Run::end);
      cluster.servers.forEach(FakeServer::dropConnections);
      cluster.faults.dropConnectionPerPush = 0;
      cluster.loop.runFor(Duration.ofSeconds(20).toNanos());
    }

    // --------------------------------------------------------------------------------- reading

    private void read() throws InterruptedException {
      ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, PARTITIONS);
      winners.forEach(
          (map, winner) -> {
            int position = expected.add(map, winner.attempt);
            expected.epochs(winner.first, winner.last);
            winner.blocks.keySet().forEach(p -> expected.nonEmpty(position, p));
          });
      Set<Integer> lost = new TreeSet<>();
      winners.forEach(
          (map, winner) -> {
            if (!isWhole(map, winner)) {
              lost.add(map);
            }
          });
      try (BlockReader reader = client.read(placement, 0, PARTITIONS, 0, MAPS, expected.build())) {
        Map<Place, List<byte[]>> read = WrittenShuffle.drain(reader);
        assertThat(lost).as("silently lost").isEmpty();
        assertThat(sorted(read)).isEqualTo(sorted(expectedBlocks()));
      } catch (MissingBlocksException missing) {
        Set<Integer> reported = new TreeSet<>();
        missing.maps().forEach(map -> reported.add(map.mapIndex()));
        assertThat(reported).as(missing.getMessage()).isEqualTo(lost);
      }
    }

    /** Whether every block of a winner is still on some server. */
    private boolean isWhole(int map, Winner winner) {
      return winner.blocks.entrySet().stream()
          .allMatch(
              entry -> {
                BitSet seen = new BitSet();
                int last = -1;
                for (FakeServer server : cluster.servers) {
                  for (StoredBlock block : server.blocks(cluster.shuffle, entry.getKey())) {
                    if (block.mapIndex() == map && block.attemptId() == winner.attempt) {
                      seen.set(block.sequence());
                      if (BlockHeader.isLast(block.buffer(), 0)) {
                        last = block.sequence();
                      }
                    }
                  }
                }
                return last >= 0 && seen.nextClearBit(0) == last + 1;
              });
    }

    private Map<Place, List<byte[]>> expectedBlocks() {
      Map<Place, List<byte[]>> blocks = new HashMap<>();
      winners.forEach(
          (map, winner) ->
              winner.blocks.forEach((p, payloads) -> blocks.put(new Place(map, p), payloads)));
      return blocks;
    }

    private static Map<Place, List<String>> sorted(Map<Place, List<byte[]>> blocks) {
      return blocks.entrySet().stream()
          .collect(
              Collectors.toMap(
                  Map.Entry::getKey,
                  entry ->
                      entry.getValue().stream()
                          .map(b -> b.length + " bytes " + Arrays.hashCode(b))
                          .sorted()
                          .toList()));
    }
  }
}
