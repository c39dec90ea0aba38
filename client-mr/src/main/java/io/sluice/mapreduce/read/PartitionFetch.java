package io.sluice.mapreduce.read;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.BlockReader;
import io.sluice.client.MissingBlocksException;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.SluiceException;
import io.sluice.mapreduce.job.JobIdentity;
import io.sluice.mapreduce.job.ShuffleAccess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Fetches what winners wrote for one partition into a {@link MergeStore}, a batch of maps at a
 * time. Used by one thread.
 */
final class PartitionFetch<K, V> {
  /** Requests for a batch: each is a round trip, and on disks a seek or two. */
  private static final int MAX_RANGES = 8;

  private static final int ATTEMPTS_OF_A_MASTER = 1_000;

  private final ShuffleConsumerPlugin.Context<K, V> context;
  private final ShuffleAccess shuffle;
  private final MergeStore<K, V> store;
  private final LossCheck losses;
  private final int partition;

  PartitionFetch(
      ShuffleConsumerPlugin.Context<K, V> context, ShuffleAccess shuffle, MergeStore<K, V> store) {
    this.context = context;
    this.shuffle = shuffle;
    this.store = store;
    this.losses = new LossCheck(shuffle, isLastAttempt(context));
    this.partition = context.getReduceId().getTaskID().getId();
  }

  /** Attempts of an application master that started again have numbers from 1,000 on, and so on. */
  private static boolean isLastAttempt(ShuffleConsumerPlugin.Context<?, ?> context) {
    int number = context.getReduceId().getId() % ATTEMPTS_OF_A_MASTER;
    return number >= context.getJobConf().getMaxReduceAttempts() - 1;
  }

  /**
   * Fetches the outputs of some maps, and marks each as read, or as missing if servers have said
   * that it is gone, or coordinators that its servers are. What is neither can be asked for again.
   *
   * @return whether the store holds a part of one that was not read, and has to be filled anew
   * @throws SluiceException if a server cannot be reached that is not lost, or nobody says whether
   *     it is: nothing is marked as missing for that
   */
  boolean fetch(Winners winners, BitSet maps) throws IOException, InterruptedException {
    // Read now: whatever the winners wrote lies where this placement says.
    ShufflePlacement placement = shuffle.newest();
    boolean spoilt = false;
    List<Complaint> complaints = new ArrayList<>();
    for (MapRanges.Range range : MapRanges.of(maps, MAX_RANGES)) {
      context.getReporter().progress();
      BitSet inRange = (BitSet) maps.clone();
      inRange.clear(0, range.first);
      inRange.clear(range.end, Math.max(range.end, maps.length()));
      spoilt |= fetch(winners, placement, range, inRange, complaints);
    }
    if (!complaints.isEmpty()) {
      // What runs again should not meet these servers.
      shuffle.leave(placement, complaints);
    }
    return spoilt;
  }

  private boolean fetch(
      Winners winners,
      ShufflePlacement placement,
      MapRanges.Range range,
      BitSet maps,
      List<Complaint> complaints)
      throws IOException, InterruptedException {
    BitSet delivered = new BitSet();
    try (BlockReader reader =
        shuffle.read(placement, partition, range.first, range.end, expected(winners, maps))) {
      try {
        readAll(reader, delivered);
        winners.markRead(maps);
        return false;
      } catch (MissingBlocksException gap) {
        if (losses.isLost(gap)) {
          complaints.addAll(gap.complaints());
          gap.maps().forEach(map -> winners.markMissing(map.mapIndex()));
        }
        // Of a read that missed something nothing counts but the list of what is missing: once it
        // knows one map to be lost, it goes on only to learn which others are.
        return !delivered.isEmpty();
      }
    }
  }

  private ArrayExpectedMaps expected(Winners winners, BitSet maps) {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(partition, partition + 1);
    for (int map = maps.nextSetBit(0); map >= 0; map = maps.nextSetBit(map + 1)) {
      TaskAttemptID winner = winners.winner(map);
      long attempt = JobIdentity.attemptNumber(winner.getTaskID(), winner.getId());
      expected.nonEmpty(expected.add(map, attempt), partition);
    }
    return expected.build();
  }

  private void readAll(BlockReader reader, BitSet delivered)
      throws IOException, InterruptedException {
    Counters.Counter bytes = context.getReduceShuffleBytes();
    long counted = 0;
    BlockReader.Block block = reader.next();
    while (block != null) {
      delivered.set(block.mapIndex());
      store.add(block);
      bytes.increment(reader.bytesRead() - counted);
      counted = reader.bytesRead();
      context.getReporter().progress();
      block = reader.next();
    }
    bytes.increment(reader.bytesRead() - counted);
  }
}
