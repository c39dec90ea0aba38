package io.sluice.cli.bench;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.BlockReader;
import io.sluice.client.MapOutput;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.SluiceClient;
import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The load on its way to the servers, and back. Each method is run by as many threads as there are
 * clients; they take maps, and then partitions, until none is left.
 */
final class Traffic {
  private final SluiceClient client;
  private final ShufflePlacement placement;
  private final Load load;
  private final Pattern pattern;
  private final AtomicInteger nextMap = new AtomicInteger();
  private final AtomicInteger nextPartition = new AtomicInteger();

  Traffic(SluiceClient client, ShufflePlacement placement, Load load, Pattern pattern) {
    this.client = client;
    this.placement = placement;
    this.load = load;
    this.pattern = pattern;
  }

  /**
   * Writes maps, each of which is acknowledged as a whole before its writer takes the next.
   *
   * @param pace told of each block
   */
  void write(Pace pace) throws InterruptedException {
    for (int map = nextMap.getAndIncrement(); map < load.maps(); map = nextMap.getAndIncrement()) {
      try (MapOutput output = client.openMapOutput(placement, map, map)) {
        long end = load.firstBlock(map + 1);
        for (long block = load.firstBlock(map); block < end; block++) {
          int partition = load.partition(block);
          int length = load.length(block);
          ByteBuffer room = output.beginBlock(partition, length);
          pattern.write(room, partition, map, length);
          output.endBlock(length, length, 1, BlockHeader.LAST);
          pace.written();
        }
        output.finish();
      }
    }
  }

  /**
   * Reads partitions and compares every byte.
   *
   * @param probes what else was written
   * @throws CommandFailedException FAILED naming the first block that is not what was written
   */
  void read(Probes probes) throws InterruptedException {
    int partition = nextPartition.getAndIncrement();
    while (partition < load.partitions()) {
      read(partition, probes);
      partition = nextPartition.getAndIncrement();
    }
  }

  private void read(int partition, Probes probes) throws InterruptedException {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(partition, partition + 1);
    long blocks = 0;
    for (int map = 0; map < load.maps(); map++) {
      if (load.block(map, partition) >= 0) {
        expected.nonEmpty(expected.add(map, map), partition);
        blocks++;
      }
    }
    for (int map : probes.maps(partition)) {
      expected.nonEmpty(expected.add(map, map), partition);
      blocks++;
    }
    try (BlockReader reader =
        client.read(placement, partition, partition + 1, 0, Integer.MAX_VALUE, expected.build())) {
      BlockReader.Block block = reader.next();
      for (; block != null; block = reader.next()) {
        compare(block);
        blocks--;
      }
    }
    if (blocks != 0) {
      throw new CommandFailedException(
          ExitCode.FAILED,
          "partition " + partition + " is read as if whole, with " + -blocks + " blocks too many");
    }
  }

  private void compare(BlockReader.Block block) {
    int map = block.mapIndex();
    int length =
        map < load.maps() ? load.length(load.block(map, block.partition())) : load.blockBytes();
    int at = pattern.difference(block.payload(), block.partition(), map, length);
    if (at >= 0) {
      throw new CommandFailedException(
          ExitCode.FAILED,
          "the block of map "
              + map
              + " for partition "
              + block.partition()
              + " is not what was written, from byte "
              + at
              + " of "
              + length
              + " on");
    }
  }
}
