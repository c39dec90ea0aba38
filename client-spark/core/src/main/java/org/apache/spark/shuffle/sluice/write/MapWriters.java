package org.apache.spark.shuffle.sluice.write;

import static java.util.Objects.requireNonNull;

import io.sluice.client.MapOutput;
import io.sluice.common.security.BlockKeys;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sluice.codec.BlockCodec;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;
import org.apache.spark.shuffle.sluice.line.RowChecksums;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.shuffle.sluice.store.DataPath;
import org.apache.spark.shuffle.sluice.store.ShufflePlaces;
import org.apache.spark.util.TaskCompletionListener;

/** Makes the writers of a process's map tasks. Thread-safe. */
public final class MapWriters {
  private final SparkLine line;
  private final DataPath path;
  private final ShufflePlaces places;
  private final ScratchBuffers scratch;
  private final MapSides mapSides;

  /**
   * @param maxIdle tasks whose buffers are kept for the next ones: about as many as run at once
   */
  public MapWriters(
      SparkLine line, DataPath path, ShufflePlaces places, WriteLimits limits, int maxIdle) {
    this.line = line;
    this.path = path;
    this.places = places;
    // Two for each core: a task's own, or those of a block that is compressed on a spare one.
    this.scratch = new ScratchBuffers(limits.blockBytes(), 2 * maxIdle);
    // Two a task, entries and the same sorted, and what is collected in pages.
    TaskArrays arrays = new TaskArrays(2 * maxIdle, maxIdle * limits.maxBufferedBytes());
    this.mapSides = new MapSides(limits, arrays);
  }

  /**
   * A writer for the calling task. Spark stops it, but for tasks that fail with an {@link Error}:
   * then it stops as the task ends.
   */
  public <K, V> ShuffleWriter<K, V> open(
      SluiceShuffleHandle<K, V, ?> handle,
      long attemptId,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics) {
    path.cores().atWork(context);
    int mapIndex = context.partitionId();
    MapAttempt attempt = new MapAttempt(line, handle.shuffleId(), mapIndex, attemptId);
    MapOutput output = path.store().openMapOutput(places.of(handle), mapIndex, attemptId);
    boolean complete = false;
    try {
      BlockCodecs codecs = path.codecs();
      BlockCodec codec = codecs.byName(handle.codec());
      BlockKeys keys = path.keys();
      BlockSealer sealer =
          keys == null ? null : new BlockSealer(keys.encryption(attemptId), mapIndex);
      BlocksAhead ahead =
          new BlocksAhead(
              path.cores(), () -> requireNonNull(codecs.byName(handle.codec())), scratch);
      WriteProgress progress = new WriteProgress(output, metrics, context);
      RowChecksums checksums = line.rowChecksums(handle.dependency());
      PushPipeline pipeline = new PushPipeline(output, progress, codec, sealer, scratch, ahead);
      MapSide<K, V> mapSide = mapSides.open(handle.dependency(), context, checksums, pipeline);
      SluiceShuffleWriter<K, V> writer =
          new SluiceShuffleWriter<>(attempt, output, mapSide, checksums, progress);
      TaskCompletionListener stopping = done -> writer.stop(false);
      context.addTaskCompletionListener(stopping);
      complete = true;
      return writer;
    } finally {
      if (!complete) { // Scala's serializers throw checked exceptions undeclared.
        output.close();
      }
    }
  }
}
