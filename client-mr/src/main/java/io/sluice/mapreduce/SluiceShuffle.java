package io.sluice.mapreduce;

import io.sluice.mapreduce.job.JobShuffle;
import io.sluice.mapreduce.job.ShuffleAccess;
import io.sluice.mapreduce.read.Pause;
import io.sluice.mapreduce.read.ReduceSide;
import java.io.IOException;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.jspecify.annotations.Nullable;

/**
 * Reduce inputs through shuffle servers: {@code
 * mapreduce.job.reduce.shuffle.consumer.plugin.class=io.sluice.mapreduce.SluiceShuffle}, together
 * with {@link SluiceMapOutputCollector}. Hadoop makes one for each reduce attempt.
 */
public final class SluiceShuffle<K, V> implements ShuffleConsumerPlugin<K, V> {
  private @Nullable Context<K, V> context;
  private @Nullable ReduceSide<K, V> reduce;

  /** For Hadoop, which calls {@link #init} next. */
  public SluiceShuffle() {}

  @Override
  public void init(Context<K, V> of) {
    context = of;
  }

  @Override
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    Context<K, V> of = context;
    if (of == null) {
      throw new IllegalStateException("not initialised");
    }
    // Connections are needed until everything is here, and no longer.
    try (ShuffleAccess shuffle =
        JobShuffle.open(of.getJobConf(), TaskAttemptID.downgrade(of.getReduceId()).getJobID())) {
      ReduceSide<K, V> side = new ReduceSide<>(of, shuffle, Pause.real());
      reduce = side;
      return side.run();
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public void close() {
    if (reduce != null) {
      reduce.close();
      reduce = null;
    }
  }
}
