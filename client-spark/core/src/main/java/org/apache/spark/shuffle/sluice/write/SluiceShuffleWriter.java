package org.apache.spark.shuffle.sluice.write;

import io.sluice.client.MapOutput;
import java.io.IOException;
import java.util.Arrays;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
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
  private final ShuffleWriteMetricsReporter metrics;
  private long @Nullable [] partitionLengths;
  private @Nullable MapStatus status;
  private boolean stopped;

  /**
   * @param output closed when the writer stops
   * @param mapSide closed when the writer stops
   * @param checksums of the records that it writes
   */
  SluiceShuffleWriter(
      MapAttempt attempt,
      MapOutput output,
      MapSide<K, V> mapSide,
      RowChecksums checksums,
      ShuffleWriteMetricsReporter metrics) {
    this.attempt = attempt;
    this.output = output;
    this.mapSide = mapSide;
    this.checksums = checksums;
    this.metrics = metrics;
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
    metrics.incRecordsWritten(mapSide.recordsWritten());
    metrics.incBytesWritten(Arrays.stream(lengths).sum());
    metrics.incWriteTime(output.waitNanos());
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
    }
    return success ? Option.apply(status) : Option.empty();
  }

  @Override
  public long @Nullable [] getPartitionLengths() {
    return partitionLengths;
  }
}
