package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.security.BlockKeys;
import io.sluice.common.security.SealedBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.codec.BlockDecoder;
import org.apache.spark.shuffle.sluice.spare.HandDriven;
import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.apache.spark.unsafe.Platform;

/** Servers get the same blocks in the same order, wherever and whenever they are compressed. */
class BlocksAheadPropertyTest {
  private static final int BLOCK_BYTES = 8 * 1024;
  private static final int PARTITIONS = 3;

  private final BlockCodecs codecs = new BlockCodecs(new SparkConf(false));
  private final BlockKeys keys = BlockKeys.of(new byte[32]);

  @Property(tries = 200)
  void blocksAreThoseThatTheTaskAloneWouldPush(
      @ForAll("codecs") String codec,
      @ForAll boolean sealed,
      @ForAll @IntRange(min = 1, max = 6) int cores,
      @ForAll @IntRange(max = 120) int blocks,
      @ForAll long seed)
      throws IOException {
    List<String> alone = push(codec, sealed, 0, blocks, seed);
    List<String> ahead = push(codec, sealed, cores, blocks, seed);
    assertThat(alone).hasSize(blocks);
    assertThat(ahead).isEqualTo(alone);
  }

  private List<String> push(String codec, boolean sealed, int spare, int blocks, long seed)
      throws IOException {
    HeapMapOutput output = new HeapMapOutput(PARTITIONS, 3, 17, done -> {});
    HandDriven threads = new HandDriven();
    SpareCores cores = threads.cores(spare);
    LentBuffers scratch = new LentBuffers(BLOCK_BYTES);
    BlockSealer sealer = sealed ? new BlockSealer(keys.encryption(17), 3) : null;
    BlocksAhead ahead = new BlocksAhead(cores, () -> codecs.byName(codec), scratch.buffers());
    Random content = new Random(seed);
    Random schedule = new Random(seed + 1);
    try (PushPipeline pipeline =
        new PushPipeline(
            output,
            Metrics.progress(output),
            codecs.byName(codec),
            sealer,
            scratch.buffers(),
            ahead)) {
      for (int i = 0; i < blocks; i++) {
        pushOne(pipeline, i, content);
        while (threads.waiting() > 0 && schedule.nextInt(3) == 0) {
          threads.runNext();
        }
        // Other tasks come and go.
        long other = schedule.nextInt(3);
        if (schedule.nextBoolean()) {
          HandDriven.begin(cores, other);
        } else {
          HandDriven.end(cores, other);
        }
        if (schedule.nextInt(10) == 0) {
          pipeline.flush();
          assertThat(output.blocks()).hasSize(i + 1);
        }
      }
      pipeline.flush();
    }
    threads.runAll();
    assertThat(scratch.lent()).isZero();
    return describe(output, codec, sealed);
  }

  /** Regimes of blocks that shrink and of such that do not, for the sampler. */
  private static void pushOne(PushPipeline pipeline, int number, Random random) throws IOException {
    byte[] raw = new byte[random.nextInt(pipeline.maxRawBytes() + 1)];
    if (number / 20 % 2 == 0) {
      Arrays.fill(raw, (byte) random.nextInt());
    } else {
      random.nextBytes(raw);
    }
    int[] flags = {0, BlockHeader.LAST, BlockHeader.CONTINUES};
    long to = pipeline.open(random.nextInt(PARTITIONS), raw.length);
    Platform.copyMemory(raw, Platform.BYTE_ARRAY_OFFSET, null, to, raw.length);
    pipeline.close(raw.length, random.nextInt(9), flags[random.nextInt(flags.length)]);
  }

  /**
   * All but the codec: how many blocks are tried depends on how soon it is known what came of it.
   */
  private List<String> describe(HeapMapOutput output, String codec, boolean sealed) {
    List<String> blocks = new ArrayList<>();
    try (BlockDecoder decoder = new BlockDecoder(codecs, codec)) {
      for (HeapBlock block : output.blocks()) {
        byte[] raw = new byte[block.rawLength()];
        decoder.decode(block.codec(), sealed ? opened(block) : block.payload(), raw, 0, raw.length);
        int flags = block.flags() & (BlockHeader.LAST | BlockHeader.CONTINUES);
        blocks.add(
            block.partition() + " " + flags + " " + block.recordCount() + Arrays.toString(raw));
      }
    }
    return blocks;
  }

  private ByteBuffer opened(HeapBlock block) {
    ByteBuffer plain = ByteBuffer.allocate(block.stored().length - SealedBlock.OVERHEAD);
    keys.decryption()
        .open(
            block.payload(),
            plain,
            block.attemptId(),
            block.partition(),
            block.mapIndex(),
            block.rawLength(),
            block.codec());
    return plain.flip();
  }

  @Provide
  Arbitrary<String> codecs() {
    return Arbitraries.of("lz4", "zstd", "snappy", "lzf");
  }
}
