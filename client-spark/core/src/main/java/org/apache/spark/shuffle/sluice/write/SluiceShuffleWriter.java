package org.apache.spark.shuffle.sluice.write;

import io.sluice.client.MapOutput;
import java.io.IOException;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;

/**
 * A map task's writer: lets {@link MapSide} push the records, waits until the servers have them,
 * and only then has a status to show. Used by the task's thread.
 */
final class SluiceShuffleWriter<K, V> extends ShuffleWriter<K, V> {
  private final MapAttempt attempt;
  private final MapOutput output;
  private final MapSide<K, V> mapSide;
  private final RowChecksums checksums;
  private final WriteProgress progress;
  private long @Nullable [] partitionLengths;
  private @Nullable MapStatus status;
  private boolean stopped;

  /**
   * @param output closed when the writer stops
   * @param mapSide closed when the writer stops
   * @param checksums of the records that it writes
   * @param progress of the same output
   */
  SluiceShuffleWriter(
      MapAttempt attempt,
      MapOutput output,
      MapSide<K, V> mapSide,
      RowChecksums checksums,
      WriteProgress progress) {
    this.attempt = attempt;
    this.output = output;
    this.mapSide = mapSide;
    this.checksums = checksums;
    this.progress = progress;
  }

  @Override
  public void write(Iterator<Product2<K, V>> records) throws IOException {
    mapSide.write(records);
    try {
      output.finish();
    } catch (InterruptedException e) {
      throw PushPipeline.interrupted(e);
    }
    long[] lengths = output.partitionLengths().clone();
    progress.finished(mapSide.recordsWritten());
    partitionLengths = lengths;
    status = attempt.status(lengths, output, checksums);
  }

  /** Called once more, with false, as the task ends, and if Spark fails after a successful stop. */
  @Override
  public Option<MapStatus> stop(boolean success) {
    if (stopped) {
      return Option.empty();
    }
    stopped = true;
    try {
      mapSide.close();
    } finally {
      output.close();
      // Of an attempt that fails too: what it pushed since the last report.
      progress.settle();
    }
    return success ? Option.apply(status) : Option.empty();
  }

  @Override
  public long @Nullable [] getPartitionLengths() {
    return partitionLengths;
  }
}
