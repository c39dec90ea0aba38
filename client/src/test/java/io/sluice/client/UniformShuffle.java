package io.sluice.client;

import io.sluice.common.block.BlockHeader;

/**
 * A shuffle in which every map has one block of the same length for every partition. Attempts are
 * 100 and the number of the map.
 *
 * @param blockBytes of payload
 */
record UniformShuffle(int maps, int partitions, int blockBytes) {
  /** Blocks in all. */
  int blocks() {
    return maps * partitions;
  }

  /** Bytes of all blocks of a partition, as servers send them. */
  long partitionBytes() {
    return maps * (long) (blockBytes + BlockHeader.LENGTH);
  }

  void write(SluiceClient client, ShufflePlacement placement) throws InterruptedException {
    for (int map = 0; map < maps; map++) {
      try (MapOutput output = client.openMapOutput(placement, map, 100 + map)) {
        for (int partition = 0; partition < partitions; partition++) {
          push(output, partition, BlockHeader.LAST);
        }
        output.finish();
      }
    }
  }

  /** One block. */
  void push(MapOutput output, int partition, int flags) throws InterruptedException {
    output.beginBlock(partition, blockBytes).put(new byte[blockBytes]);
    output.endBlock(blockBytes, blockBytes, 1, flags);
  }

  /** A reader of everything. */
  BlockReader read(SluiceClient client, ShufflePlacement placement) {
    return read(client, placement, 0, partitions);
  }

  /** A reader of some partitions of all its maps, and of no others that were written beside. */
  BlockReader read(SluiceClient client, ShufflePlacement placement, int first, int end) {
    return client.read(placement, first, end, 0, maps, expected(first, end));
  }

  ExpectedMaps expected(int first, int end) {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(first, end);
    for (int map = 0; map < maps; map++) {
      int position = expected.add(map, 100 + map);
      for (int partition = first; partition < end; partition++) {
        expected.nonEmpty(position, partition);
      }
    }
    return expected.build();
  }

  /** Reads to the end, and closes; how many blocks there were. */
  static int count(BlockReader reader) throws InterruptedException {
    try (reader) {
      int blocks = 0;
      while (reader.next() != null) {
        blocks++;
      }
      return blocks;
    }
  }
}
