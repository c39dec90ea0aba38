package io.sluice.mapreduce.read;

import io.sluice.common.error.SluiceException;
import io.sluice.mapreduce.job.ShuffleAccess;
import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle of one reduce attempt: asks which maps have ended, fetches them in batches while
 * others still run, and merges.
 *
 * <p>A map output that is not to be had is reported to the application master, as Hadoop's own
 * shuffle does; the master runs the map again once enough reports have come, and says so by an
 * event. Reports are repeated until then, as {@link MissingReports} says. If the read that found
 * out has brought anything, everything is fetched anew: the rest lies there still, and this costs
 * less than the attempt. What cannot be reached but is not lost fails the attempt: see {@link
 * LossCheck}.
 */
public final class ReduceSide<K, V> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReduceSide.class);

  /** Between two questions to the application master; Hadoop's own shuffle asks as often. */
  private static final Duration POLL = Duration.ofSeconds(1);

  /** Before a master that did not answer is asked again, and how often; as Hadoop's own shuffle. */
  private static final Duration RETRY = Duration.ofSeconds(5);

  private static final int RETRIES = 10;

  /**
   * Batches that maps are fetched in while others run, at most. Each batch of a partition that lies
   * on disks costs seeks, as each map does in Hadoop's own shuffle; with eight, seven eighths are
   * there when the last map ends.
   */
  private static final int BATCHES = 8;

  private final ShuffleConsumerPlugin.Context<K, V> context;
  private final Pause pause;
  private final MapEvents events;
  private final Winners winners;
  private final MissingReports reports;
  private final MergeStore<K, V> store;
  private final PartitionFetch<K, V> fetch;

  /**
   * @param shuffle stays the caller's to close
   */
  public ReduceSide(
      ShuffleConsumerPlugin.Context<K, V> context, ShuffleAccess shuffle, Pause pause) {
    this.context = context;
    this.pause = pause;
    this.events = MapEvents.of(context);
    this.winners = new Winners(context.getJobConf().getNumMapTasks());
    this.reports = new MissingReports(context.getReduceId().hashCode());
    this.store = new MergeStore<>(context);
    this.fetch = new PartitionFetch<>(context, shuffle, store);
  }

  /**
   * Waits for all maps and merges what they wrote for this reduce.
   *
   * @throws IOException if it is not to be had and the map will not run again
   */
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    try {
      fetchAll();
    } catch (SluiceException e) {
      throw new IOException("the map outputs cannot be read: " + e.getMessage(), e);
    }
    context.getShuffledMapsCounter().increment(winners.readCount());
    context.getMergedMapOutputsCounter().increment(winners.readCount());
    context.getCopyPhase().complete();
    context.getStatus().setPhase(TaskStatus.Phase.SORT);
    context.getReduceTask().statusUpdate(context.getUmbilical());
    return store.merge();
  }

  private void fetchAll() throws IOException, InterruptedException {
    poll();
    while (!winners.allRead()) {
      BitSet maps = winners.toRead();
      if (isBatch(maps)) {
        BitSet before = winners.missing();
        if (fetch.fetch(winners, maps)) {
          LOG.warn(
              "A map output was not read, and a part of what was asked for with it is here: all are"
                  + " fetched again");
          store.clear();
          winners.unread();
        }
        reportProgress();
        countMissing(before);
        reportMissing();
      } else {
        reportMissing();
        if (!events.mapsRunAgain()) {
          throw new IOException("not all maps have outputs, and none will run any more");
        }
        pause.await(POLL);
        reports.passed(POLL);
        context.getReporter().progress();
      }
      poll();
    }
  }

  /** A master that is busy for a while costs no attempt. */
  private void poll() throws IOException, InterruptedException {
    int failures = 0;
    while (true) {
      try {
        events.poll(winners);
        return;
      } catch (IOException e) {
        if (++failures == RETRIES) {
          throw e;
        }
        LOG.info("The application master was not heard", e);
        pause.await(RETRY);
        context.getReporter().progress();
      }
    }
  }

  private boolean isBatch(BitSet maps) {
    return !maps.isEmpty()
        && (winners.allKnown() || maps.cardinality() >= (winners.maps() + BATCHES - 1) / BATCHES);
  }

  private void reportProgress() {
    context.getCopyPhase().set((float) winners.readCount() / winners.maps());
    context.getCopyPhase().setStatus("copy(" + winners.readCount() + " of " + winners.maps() + ")");
    context.getReporter().progress();
  }

  private void countMissing(BitSet before) {
    BitSet found = winners.missing();
    found.andNot(before);
    if (!found.isEmpty()) {
      LOG.warn("The outputs of maps {} are lost", found);
      context.getFailedShuffleCounter().increment(found.cardinality());
    }
  }

  private void reportMissing() throws IOException, InterruptedException {
    BitSet missing = winners.missing();
    if (!missing.isEmpty() && !events.mapsRunAgain()) {
      throw new IOException("the outputs of maps " + missing + " are lost");
    }
    BitSet now = reports.next(missing);
    if (now.isEmpty()) {
      return;
    }
    for (int map = now.nextSetBit(0); map >= 0; map = now.nextSetBit(map + 1)) {
      context.getStatus().addFetchFailedMap(winners.winner(map));
    }
    context.getReduceTask().statusUpdate(context.getUmbilical());
  }

  /** Frees what is left, but for files that records are still read from. */
  @Override
  public void close() {
    store.close();
  }
}
