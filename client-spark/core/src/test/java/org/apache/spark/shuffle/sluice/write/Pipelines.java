package org.apache.spark.shuffle.sluice.write;

import io.sluice.client.MapOutput;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.sluice.codec.BlockCodec;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.spare.SpareCores;

/** Ways of blocks to an output in a process without a spare core, which encrypts nothing. */
final class Pipelines {
  private Pipelines() {}

  /**
   * One that nobody looks at the metrics of.
   *
   * @param codec a name of Spark's, or {@code none}
   */
  static PushPipeline to(MapOutput output, String codec, ScratchBuffers scratch) {
    return to(output, Metrics.progress(output), codec, scratch);
  }

  static PushPipeline to(
      MapOutput output, WriteProgress progress, String codec, ScratchBuffers scratch) {
    BlockCodec by = new BlockCodecs(new SparkConf(false)).byName(codec);
    return new PushPipeline(output, progress, by, null, scratch, noneAhead(scratch));
  }

  static BlocksAhead noneAhead(ScratchBuffers scratch) {
    SpareCores none = new SpareCores(0, Runnable::run, () -> {});
    return new BlocksAhead(
        none,
        () -> {
          throw new AssertionError("no core is spare");
        },
        scratch);
  }
}
