package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.block.BlockHeader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.spark.shuffle.sluice.codec.BlockCodec;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.apache.spark.shuffle.sluice.spare.HandDriven;
import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What comes of blocks that a spare core has, or may have, when the task's thread goes on. */
@Timeout(60)
class BlocksAheadTest {
  private static final int BLOCK_BYTES = 16 * 1024;

  private final HandDriven threads = new HandDriven();
  private final LentBuffers scratch = new LentBuffers(BLOCK_BYTES);
  private final HeapMapOutput output = new HeapMapOutput(3, 0, 1, blocks -> {});
  private final List<HalvingCodec> codecs = new ArrayList<>();
  private final List<PushPipeline> pipelines = new ArrayList<>();
  private Runnable whileCompressing = () -> {};
  private boolean shrinks = true;

  @AfterEach
  void everythingIsGivenBack() {
    pipelines.forEach(PushPipeline::close);
    threads.runAll();
    assertThat(scratch.lent()).isZero();
    assertThat(codecs).allMatch(codec -> codec.closed.get());
  }

  /** Halves blocks to their first byte, again and again. */
  private final class HalvingCodec implements BlockCodec {
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean busy = new AtomicBoolean();

    @Override
    public int number() {
      return LZ4;
    }

    @Override
    public int maxStoredLength(int rawLength) {
      return rawLength;
    }

    @Override
    public int compress(ByteBuffer raw, int rawLength, ByteBuffer stored) {
      assertThat(busy.getAndSet(true)).as("used by one thread").isFalse();
      whileCompressing.run();
      assertThat(closed.get()).isFalse();
      for (int i = 0; i < rawLength / 2; i++) {
        stored.put(i, raw.get(0));
      }
      busy.set(false);
      return shrinks ? rawLength / 2 : rawLength;
    }

    @Override
    public void decompress(ByteBuffer stored, byte[] raw, int offset, int rawLength) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      assertThat(closed.getAndSet(true)).as("closed once").isFalse();
    }
  }

  private BlockCodec codec() {
    HalvingCodec made = new HalvingCodec();
    codecs.add(made);
    return made;
  }

  private PushPipeline pipeline(SpareCores cores) {
    return pipeline(cores, this::codec);
  }

  private PushPipeline pipeline(SpareCores cores, Supplier<BlockCodec> ofAhead) {
    BlocksAhead ahead = new BlocksAhead(cores, ofAhead, scratch.buffers());
    PushPipeline pipeline =
        new PushPipeline(output, Metrics.progress(output), codec(), null, scratch.buffers(), ahead);
    pipelines.add(pipeline);
    return pipeline;
  }

  private void push(PushPipeline pipeline, int partition, char first) throws IOException {
    push(pipeline, partition, first, 0);
  }

  private void push(PushPipeline pipeline, int partition, char first, int flags)
      throws IOException {
    byte[] raw = new byte[100];
    Arrays.fill(raw, (byte) first);
    long to = pipeline.open(partition, raw.length);
    Platform.copyMemory(raw, Platform.BYTE_ARRAY_OFFSET, null, to, raw.length);
    pipeline.close(raw.length, 1, flags);
  }

  /** First bytes of what was pushed. */
  private String pushed() {
    StringBuilder text = new StringBuilder();
    for (HeapBlock block : output.blocks()) {
      text.append((char) block.stored()[0]);
      boolean small = block.codec() == BlockCodec.LZ4;
      assertThat(block.stored()).hasSize(small ? 50 : 100).containsOnly(block.stored()[0]);
      assertThat(block.rawLength()).isEqualTo(100);
    }
    return text.toString();
  }

  @Test
  void withoutASpareCoreBlocksGoStraightIntoFrames() throws IOException {
    SpareCores cores = threads.cores(0);
    PushPipeline pipeline = pipeline(cores);
    for (char c = 'a'; c < 'f'; c++) {
      push(pipeline, 0, c);
      assertThat(output.blocks()).hasSize(c - 'a' + 1);
    }
    assertThat(scratch.lent()).isOne();
    assertThat(codecs).hasSize(1);
    assertThat(pushed()).isEqualTo("abcde");
  }

  @Test
  void aBlockThatNoCoreHasComeToIsCompressedByTheTaskAtTheFlush() throws IOException {
    PushPipeline pipeline = pipeline(threads.cores(1));
    push(pipeline, 0, 'a', BlockHeader.LAST);
    assertThat(output.blocks()).isEmpty();
    pipeline.flush();
    assertThat(pushed()).isEqualTo("a");
    assertThat(output.blocks().get(0).isLast()).isTrue();
    assertThat(output.blocks().get(0).codec()).isEqualTo(BlockCodec.LZ4);

    threads.runAll();
    push(pipeline, 0, 'b');
    threads.runAll();
    pipeline.flush();
    assertThat(pushed()).isEqualTo("ab");
  }

  @Test
  void aBlockThatIsDoneGoesIntoItsFrameWhenTheNextIsClosed() throws IOException {
    PushPipeline pipeline = pipeline(threads.cores(1));
    push(pipeline, 0, 'a');
    threads.runNext();
    assertThat(output.blocks()).isEmpty();
    push(pipeline, 1, 'b');
    assertThat(pushed()).isEqualTo("a");
  }

  /** The task's thread compresses as well, for what is before it has the only core. */
  @Test
  void blocksKeepTheirOrderWhileTheOldestIsNotDone() throws IOException {
    PushPipeline pipeline = pipeline(threads.cores(1));
    push(pipeline, 0, 'a');
    push(pipeline, 0, 'b');
    push(pipeline, 0, 'c');
    assertThat(output.blocks()).isEmpty();
    assertThat(threads.waiting()).isOne();

    threads.runNext();
    push(pipeline, 0, 'd');
    assertThat(pushed()).isEqualTo("abc");
    pipeline.flush();
    assertThat(pushed()).isEqualTo("abcd");
  }

  @Test
  void noMoreBlocksAreAheadThanMayBe() throws IOException {
    PushPipeline pipeline = pipeline(threads.cores(9));
    for (int i = 0; i < BlocksAhead.MOST; i++) {
      push(pipeline, 0, (char) ('a' + i));
    }
    assertThat(threads.waiting()).isEqualTo(BlocksAhead.MOST);
    assertThat(output.blocks()).isEmpty();
    push(pipeline, 0, 'z');
    assertThat(output.blocks()).hasSize(BlocksAhead.MOST + 1);
    assertThat(pushed()).isEqualTo("abcdz");
    assertThat(scratch.lent()).isEqualTo(2 * BlocksAhead.MOST + 1);
  }

  @Test
  void whatWasTriedComesBeforeWhatGoesStraightIntoAFrame() throws IOException {
    shrinks = false;
    PushPipeline pipeline = pipeline(threads.cores(2));
    push(pipeline, 0, 'a');
    push(pipeline, 0, 'b');
    push(pipeline, 0, 'c');
    threads.runAll();
    push(pipeline, 0, 'd');
    assertThat(pushed()).isEqualTo("abc");
    push(pipeline, 0, 'e');
    // The core has done with the fourth when the task has with the sixth, for which there was none.
    whileCompressing =
        () -> {
          whileCompressing = () -> {};
          threads.runNext();
        };
    push(pipeline, 0, 'f');
    assertThat(pushed()).isEqualTo("abcd");
    // Four that did not shrink: only some are tried from here on, and this is none of them.
    push(pipeline, 0, 'g');
    assertThat(pushed()).isEqualTo("abcdefg");
  }

  @Test
  void whatACodecThrowsOnASpareCoreIsThrownToTheTask() throws IOException {
    PushPipeline pipeline = pipeline(threads.cores(1));
    push(pipeline, 0, 'a');
    IllegalArgumentException wrong = new IllegalArgumentException("wrong");
    whileCompressing =
        () -> {
          throw wrong;
        };
    threads.runNext();
    whileCompressing = () -> {};
    assertThatThrownBy(() -> push(pipeline, 0, 'b')).isSameAs(wrong);
    assertThatThrownBy(pipeline::flush).isInstanceOf(WentOnException.class).hasCause(wrong);
    assertThatThrownBy(() -> push(pipeline, 0, 'c')).as("the first one").hasCause(wrong);
    assertThat(output.blocks()).isEmpty();
  }

  @Test
  void whatACodecThrowsOnTheTasksThreadIsNotTakenForABlockLater() throws IOException {
    PushPipeline pipeline = pipeline(threads.cores(1));
    push(pipeline, 0, 'a');
    OutOfMemoryError full = new OutOfMemoryError("full");
    whileCompressing =
        () -> {
          throw full;
        };
    assertThatThrownBy(pipeline::flush).isSameAs(full);
    // As a cause it would end the executor.
    assertThatThrownBy(pipeline::flush)
        .isInstanceOf(WentOnException.class)
        .hasNoCause()
        .hasMessageContaining(full.toString());
    assertThat(output.blocks()).isEmpty();
  }

  @Test
  void aTaskThatFailsAtABlockBehindOthersGivesEverythingBackOnce() throws IOException {
    PushPipeline pipeline = pipeline(threads.cores(1));
    push(pipeline, 0, 'a');
    OutOfMemoryError full = new OutOfMemoryError("full");
    whileCompressing =
        () -> {
          throw full;
        };
    assertThatThrownBy(() -> push(pipeline, 0, 'b')).isSameAs(full);
  }

  @Test
  void aTaskThatEndsTakesBackWhatHasNotBegun() throws IOException {
    PushPipeline pipeline = pipeline(threads.cores(2));
    push(pipeline, 0, 'a');
    push(pipeline, 0, 'b');
    pipelines.remove(pipeline);
    pipeline.close();
    assertThat(scratch.lent()).isZero();
    threads.runAll();
    assertThat(output.blocks()).isEmpty();
  }

  @Test
  void aTaskThatEndsWaitsForTheCoreThatIsAtItsBlock() throws Exception {
    ExecutorService core = Executors.newSingleThreadExecutor();
    try {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch started = new CountDownLatch(1);
      PushPipeline pipeline = pipeline(new SpareCores(1, core, () -> {}));
      pipelines.remove(pipeline);
      Thread ending = new Thread(pipeline::close);
      List<String> seen = new ArrayList<>();
      whileCompressing =
          () -> {
            begun.countDown();
            awaitUnchecked(started);
            // It cannot end before this has; its deadline passes each time.
            join(ending, 200);
            seen.add("lent " + scratch.lent() + ", ended " + !ending.isAlive());
          };
      push(pipeline, 0, 'a');
      begun.await();
      ending.start();
      started.countDown();
      join(ending, TimeUnit.SECONDS.toMillis(30));
      assertThat(ending.isAlive()).isFalse();
      assertThat(seen).containsExactly("lent 3, ended false");
    } finally {
      core.shutdownNow();
    }
  }

  private static void join(Thread thread, long millis) {
    try {
      thread.join(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aTaskThatIsKilledDoesNotWaitToPushWhatACoreIsAt() throws Exception {
    ExecutorService core = Executors.newSingleThreadExecutor();
    try {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      whileCompressing =
          () -> {
            begun.countDown();
            awaitUnchecked(go);
          };
      PushPipeline pipeline = pipeline(new SpareCores(1, core, () -> {}));
      push(pipeline, 0, 'a');
      begun.await();
      Thread.currentThread().interrupt();
      assertThatThrownBy(pipeline::flush).isInstanceOf(InterruptedIOException.class);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(output.blocks()).isEmpty();
      go.countDown();
    } finally {
      core.shutdown();
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void withoutMemoryTheTaskGoesOnAsWithoutASpareCore() throws IOException {
    List<String> asked = new ArrayList<>();
    PushPipeline pipeline =
        pipeline(
            threads.cores(1),
            () -> {
              asked.add("codec");
              throw new OutOfMemoryError("no native memory");
            });
    push(pipeline, 0, 'a');
    push(pipeline, 0, 'b');
    assertThat(pushed()).isEqualTo("ab");
    assertThat(scratch.lent()).isOne();
    assertThat(asked).hasSize(1);
    assertThat(new String(output.blocks().get(0).stored(), StandardCharsets.UTF_8)).hasSize(50);
  }
}
