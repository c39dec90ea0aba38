package io.sluice.mapreduce;

import io.sluice.client.MapOutput;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.IoReason;
import io.sluice.mapreduce.job.JobIdentity;
import io.sluice.mapreduce.job.JobShuffle;
import io.sluice.mapreduce.job.ShuffleAccess;
import io.sluice.mapreduce.write.MapSide;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.jspecify.annotations.Nullable;

/**
 * Map outputs through shuffle servers: {@code
 * mapreduce.job.map.output.collector.class=io.sluice.mapreduce.SluiceMapOutputCollector}, together
 * with {@link SluiceShuffle}. Hadoop makes one for each map attempt.
 */
public final class SluiceMapOutputCollector<K, V> implements MapOutputCollector<K, V> {
  private final ShuffleAccess.Opener opener;
  private @Nullable ShuffleAccess shuffle;
  private @Nullable MapOutput output;
  private @Nullable MapSide<K, V> records;
  private @Nullable Context context;
  private @Nullable IOException failure;

  /** For Hadoop, which calls {@link #init} next. */
  public SluiceMapOutputCollector() {
    this(JobShuffle::open);
  }

  SluiceMapOutputCollector(ShuffleAccess.Opener opener) {
    this.opener = opener;
  }

  @Override
  public synchronized void init(Context of) throws IOException, ClassNotFoundException {
    JobConf job = of.getJobConf();
    TaskAttemptID attempt = of.getMapTask().getTaskID();
    ShuffleAccess access = opener.open(job, attempt.getJobID());
    shuffle = access;
    try {
      long number = JobIdentity.attemptNumber(attempt.getTaskID(), attempt.getId());
      MapOutput opened = access.openMapOutput(attempt.getTaskID().getId(), number);
      output = opened;
      records = MapSide.open(of, opened);
      context = of;
    } catch (IOException | ClassNotFoundException | RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public synchronized void collect(K key, V value, int partition)
      throws IOException, InterruptedException {
    MapSide<K, V> into = records;
    if (into == null) {
      throw closed();
    }
    try {
      into.collect(key, value, partition);
    } catch (IOException e) {
      throw explained(e);
    }
  }

  /** Hadoop flushes a collector again whose flush failed, and logs what that fails with. */
  private IOException closed() {
    IOException before = failure;
    return before == null
        ? new IOException("the collector is closed")
        : new IOException("the collector is closed, since " + IoReason.of(before), before);
  }

  /** Servers only say that they know no such shuffle; coordinators may know why. */
  private IOException explained(IOException thrown) {
    ShuffleAccess access = shuffle;
    if (access == null || !isUnknown(thrown.getCause())) {
      return thrown;
    }
    return access
        .endedBecause()
        .map(
            reason ->
                new IOException(
                    "the map output could not be stored: " + reason.getMessage(), thrown))
        .orElse(thrown);
  }

  private static boolean isUnknown(@Nullable Throwable cause) {
    if (!(cause instanceof SluiceException)) {
      return false;
    }
    ErrorCode code = ((SluiceException) cause).code();
    return code == ErrorCode.UNKNOWN_SHUFFLE || code == ErrorCode.UNKNOWN_APPLICATION;
  }

  @Override
  public synchronized void flush()
      throws IOException, InterruptedException, ClassNotFoundException {
    MapSide<K, V> all = records;
    Context of = context;
    if (all == null || of == null) {
      throw closed();
    }
    boolean flushed = false;
    try {
      all.finish();
      leaveEmptyFile(of);
      flushed = true;
    } catch (IOException e) {
      failure = explained(e);
      throw failure;
    } finally {
      if (!flushed) {
        // Hadoop does not close a collector whose flush fails.
        close();
      }
    }
  }

  /** Hadoop asks how large a map's output file is, and moves it where it runs all tasks itself. */
  private static void leaveEmptyFile(Context of) throws IOException {
    MapOutputFile files = of.getMapTask().getMapOutputFile();
    FileSystem local = FileSystem.getLocal(of.getJobConf()).getRaw();
    for (Path file :
        new Path[] {files.getOutputFileForWrite(1), files.getOutputIndexFileForWrite(1)}) {
      local.create(file, true).close();
    }
  }

  @Override
  public synchronized void close() {
    if (records != null) {
      records.close();
      records = null;
    }
    if (output != null) {
      output.close();
      output = null;
    }
    if (shuffle != null) {
      shuffle.close();
      shuffle = null;
    }
  }
}
