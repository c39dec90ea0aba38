package io.sluice.cli.bench;

import io.sluice.client.MapOutput;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.SluiceClient;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.time.Clock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Blocks that are sent one at a time, to one server after the other, while the load is written:
 * each is a map of its own, and the time is taken from its being whole to its being acknowledged,
 * which is when as many of its replicas have it as the servers wait for. What a writer of the load
 * waits for is in no such number, since its blocks are on their way side by side. To be run by one
 * thread; what it found is whole when that has ended.
 */
final class Probes {
  private final SluiceClient client;
  private final ShufflePlacement placement;
  private final Load load;
  private final Pattern pattern;
  private final Clock clock;
  // By index in the placement: the partitions that a server is the first to have.
  private final List<List<Integer>> partitions = new ArrayList<>();
  private final List<Latencies> latencies = new ArrayList<>();
  // By partition; their maps are those after the load's.
  private final Map<Integer, List<Integer>> maps = new HashMap<>();
  private final AtomicInteger sent = new AtomicInteger();

  Probes(SluiceClient client, ShufflePlacement placement, Load load, Pattern pattern, Clock clock) {
    this.client = client;
    this.placement = placement;
    this.load = load;
    this.pattern = pattern;
    this.clock = clock;
    placement
        .servers()
        .forEach(
            server -> {
              partitions.add(new ArrayList<>());
              latencies.add(new Latencies());
            });
    for (int partition = 0; partition < placement.partitions(); partition++) {
      partitions.get(placement.server(0, partition, 0)).add(partition);
    }
  }

  /**
   * Goes round all servers once, whether the load is written by then or not, so that there is a
   * figure of each; and then on at the load's pace.
   */
  void run(Pace pace) throws InterruptedException {
    for (int round = 0; ; round++) {
      for (int server = 0; server < partitions.size(); server++) {
        List<Integer> own = partitions.get(server);
        if (!own.isEmpty()) {
          if (round > 0 && (sent.get() == Latencies.MAX || !pace.next())) {
            return;
          }
          latencies.get(server).add(send(own.get(round % own.size())));
        }
      }
    }
  }

  private long send(int partition) throws InterruptedException {
    int map = load.maps() + sent.get();
    int length = load.blockBytes();
    try (MapOutput output = client.openMapOutput(placement, map, map)) {
      ByteBuffer room = output.beginBlock(partition, length);
      pattern.write(room, partition, map, length);
      long whole = clock.nanoTime();
      output.endBlock(length, length, 1, BlockHeader.LAST);
      output.finish();
      long taken = clock.nanoTime() - whole;
      maps.computeIfAbsent(partition, first -> new ArrayList<>()).add(map);
      sent.incrementAndGet();
      return taken;
    }
  }

  /** Maps of probes that went to a partition. */
  List<Integer> maps(int partition) {
    return maps.getOrDefault(partition, List.of());
  }

  /** Of all that were acknowledged. For any thread. */
  long bytes() {
    return (long) sent.get() * load.blockBytes();
  }

  /** Of each server, in the placement's order. */
  List<Latencies> latencies() {
    return List.copyOf(latencies);
  }
}
