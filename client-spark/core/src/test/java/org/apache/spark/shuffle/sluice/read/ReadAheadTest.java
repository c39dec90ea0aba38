package org.apache.spark.shuffle.sluice.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.BlockReader;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.shuffle.sluice.spare.HandDriven;
import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.apache.spark.shuffle.sluice.store.HeapBlockReader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pieces that another core decodes, or does not, with threads that run when they are told to. */
@Timeout(60)
class ReadAheadTest {
  private final HandDriven threads = new HandDriven();
  private SpareCores cores = threads.cores(2);
  private final Ticking clock = new Ticking(ReadAhead.WORTH_NANOS);
  private final TaskContextImpl context = TaskContext$.MODULE$.empty();
  private final List<MissingMaps> reports = new ArrayList<>();
  private @Nullable Thread reporting;

  @Test
  void aJobThatHasNotBegunIsTakenBack() throws IOException {
    Landed reader = new Landed("one", "two", "three");
    RawBlocks blocks = blocks(reader);

    assertThat(next(blocks)).isEqualTo("one");
    assertThat(threads.waiting()).isEqualTo(1);
    assertThat(next(blocks)).isEqualTo("two");
    threads.runNext();
    assertThat(reader.polls).as("what the thread that came late has done").isZero();
    assertThat(next(blocks)).isEqualTo("three");
    assertThat(blocks.next()).isNull();
    blocks.close();
  }

  @Test
  void aJobThatIsDoneIsTaken() throws IOException {
    Landed reader = new Landed("one", "two", "three", "four");
    RawBlocks blocks = blocks(reader);

    List<String> read = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      read.add(next(blocks));
      runAll();
    }
    assertThat(blocks.next()).isNull();
    assertThat(read).containsExactly("one", "two", "three", "four");
    assertThat(reader.polls).isEqualTo(3);
    blocks.close();
  }

  /** Rows of the piece before the current one are in use still, and so are the current one's. */
  @Test
  void whatTheTaskHasStaysIntactWhateverWasDoneAhead() throws IOException {
    String[] texts = new String[40];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "piece " + (100 + i);
    }
    RawBlocks blocks = blocks(new Landed(texts));
    Piece before = null;
    for (int i = 0; i < texts.length; i++) {
      Piece piece = blocks.next();
      if (i % 7 % 2 == 0) {
        runAll();
      }
      assertThat(text(piece)).isEqualTo(texts[i]);
      if (before != null) {
        assertThat(text(before)).isEqualTo(texts[i - 1]);
      }
      before = piece;
    }
    assertThat(blocks.next()).isNull();
    assertThat(text(before)).as("the last row").isEqualTo(texts[texts.length - 1]);
    blocks.close();
  }

  @Test
  void aJobThatFindsNothingLeavesItToTheTask() throws IOException {
    Landed reader = new Landed("one", "two");
    RawBlocks blocks = blocks(reader);
    assertThat(next(blocks)).isEqualTo("one");
    reader.landed = 0;
    runAll();
    assertThat(next(blocks)).isEqualTo("two");
    assertThat(blocks.next()).isNull();
    blocks.close();
  }

  /** There may not be room for three of them. */
  @Test
  void aJobLeavesALongRecordToTheTask() throws IOException {
    HeapBlock record = Pieces.block(1, 0, new byte[5 << 20]);
    RawBlocks blocks = blocks(new Landed(List.of(block("one"), record, block("three"))));
    assertThat(next(blocks)).isEqualTo("one");

    long before = clock.now;
    runAll();
    assertThat(clock.now).as("nothing was decoded").isEqualTo(before);
    Piece piece = blocks.next();
    assertThat(piece).isNotNull();
    assertThat(piece.bytes()).isEqualTo(new byte[5 << 20]);
    runAll();
    assertThat(next(blocks)).isEqualTo("three");
    assertThat(blocks.next()).isNull();
    blocks.close();
  }

  @Test
  void whatAJobFailsOfIsThrownAndReportedOnTheTasksThread() throws Exception {
    HeapBlock bad = new HeapBlock(1, 2, 102, 7, BlockHeader.LAST, 4, 1, new byte[3]);
    Landed reader = new Landed(List.of(block("one"), bad));
    RawBlocks blocks = blocks(reader);
    assertThat(next(blocks)).isEqualTo("one");

    CompletableFuture.runAsync(threads::runNext).get(30, TimeUnit.SECONDS);
    assertThat(reports).as("before the task asks").isEmpty();

    assertThatThrownBy(blocks::next)
        .isInstanceOf(FetchFailedException.class)
        .hasMessageContaining("map 2, attempt 102, block 7");
    assertThat(reports).hasSize(1);
    assertThat(reporting).isSameAs(Thread.currentThread());
    blocks.close();
    assertThat(reader.events).containsExactly("polled", "closed");
  }

  @Test
  void isClosedWhenTheJobThatRunsIsOver() throws Exception {
    Landed reader = new Landed("one", "two", "three");
    RawBlocks blocks = blocks(reader);
    assertThat(next(blocks)).isEqualTo("one");
    reader.hold();
    CompletableFuture<@Nullable Void> job = CompletableFuture.runAsync(threads::runNext);
    reader.held.get(30, TimeUnit.SECONDS);

    Thread closing = new Thread(blocks::close);
    closing.start();
    awaitWaiting(closing);
    reader.go.complete(null);
    closing.join(30_000);
    job.get(30, TimeUnit.SECONDS);

    assertThat(reader.events).containsExactly("polled", "closed");
    blocks.close();
    assertThat(reader.events).as("closed once").hasSize(2);
  }

  @Test
  void aJobOfAClosedReaderDoesNothing() throws IOException {
    Landed reader = new Landed("one", "two");
    RawBlocks blocks = blocks(reader);
    assertThat(next(blocks)).isEqualTo("one");
    blocks.close();
    threads.runAll();
    assertThat(reader.events).containsExactly("closed");
  }

  @Test
  void aTaskThatIsKilledTakesNothingMore() throws IOException {
    Landed reader = new Landed("one", "two");
    RawBlocks blocks = blocks(reader);
    assertThat(next(blocks)).isEqualTo("one");
    runAll();
    context.markInterrupted("on purpose");
    assertThatThrownBy(blocks::next).isInstanceOf(TaskKilledException.class);
    blocks.close();
    assertThat(reader.events).containsExactly("polled", "closed");
  }

  @Test
  void aTaskThatIsInterruptedWaitsForNoJob() throws Exception {
    Landed reader = new Landed("one", "two");
    RawBlocks blocks = blocks(reader);
    assertThat(next(blocks)).isEqualTo("one");
    reader.hold();
    CompletableFuture<@Nullable Void> job = CompletableFuture.runAsync(threads::runNext);
    reader.held.get(30, TimeUnit.SECONDS);

    Thread.currentThread().interrupt();
    assertThatThrownBy(blocks::next).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(reader.events).isEmpty();
    reader.go.complete(null);
    blocks.close();

    job.get(30, TimeUnit.SECONDS);
    assertThat(reader.events).containsExactly("polled", "closed");
  }

  @Test
  void whatTakesLittleOrHasNotLandedIsNotHandedOver() throws IOException {
    clock.step = ReadAhead.WORTH_NANOS - 1;
    assertNothingIsHandedOver(new Landed("one", "two", "three"));
    clock.step = ReadAhead.WORTH_NANOS;
    Landed later = new Landed("one", "two", "three");
    later.landed = 0;
    assertNothingIsHandedOver(later);
  }

  @Test
  void nothingIsHandedOverWhereEveryCoreHasATask() throws IOException {
    cores = threads.cores(1);
    cores.atWork(context);
    assertNothingIsHandedOver(new Landed("one", "two", "three"));
  }

  private void assertNothingIsHandedOver(Landed reader) throws IOException {
    RawBlocks blocks = blocks(reader);
    assertThat(next(blocks)).isEqualTo("one");
    assertThat(next(blocks)).isEqualTo("two");
    assertThat(next(blocks)).isEqualTo("three");
    assertThat(blocks.next()).isNull();
    assertThat(threads.waiting()).isZero();
    blocks.close();
  }

  private RawBlocks blocks(BlockReader reader) {
    MissingMaps.Listener driver =
        missing -> {
          reporting = Thread.currentThread();
          return reports.add(missing);
        };
    TaskContext task = context;
    return Pieces.ahead(task, reader, cores, clock, driver);
  }

  private void runAll() {
    threads.runAll();
  }

  private static void awaitWaiting(Thread thread) {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (thread.getState() != Thread.State.WAITING) {
      assertThat(thread.isAlive()).as("it waits").isTrue();
      assertThat(Clock.system().nanoTime()).as("the deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private static String next(RawBlocks blocks) throws IOException {
    return text(blocks.next());
  }

  private static String text(@Nullable Piece piece) {
    assertThat(piece).isNotNull();
    return new String(piece.bytes(), 0, piece.length(), StandardCharsets.UTF_8);
  }

  private static HeapBlock block(String text) {
    return Pieces.block(0, 0, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Each look at it is a step later. */
  private static final class Ticking implements Clock {
    long step;
    private long now;

    Ticking(long step) {
      this.step = step;
    }

    @Override
    public long nanoTime() {
      return now += step;
    }

    @Override
    public long wallTimeMillis() {
      return 0;
    }
  }

  /** Blocks of which so many have landed; all come to whoever waits. */
  private static final class Landed implements BlockReader {
    final List<String> events = new CopyOnWriteArrayList<>();
    final CompletableFuture<@Nullable Void> held = new CompletableFuture<>();
    final CompletableFuture<@Nullable Void> go = new CompletableFuture<>();
    private final HeapBlockReader given;
    private boolean holding;
    int landed = Integer.MAX_VALUE;
    int polls;

    Landed(String... texts) {
      this(blocks(texts));
    }

    Landed(List<HeapBlock> blocks) {
      this.given = new HeapBlockReader(blocks, null);
    }

    private static List<HeapBlock> blocks(String... texts) {
      List<HeapBlock> blocks = new ArrayList<>();
      for (String text : texts) {
        blocks.add(block(text));
      }
      return blocks;
    }

    /** Whoever polls from here on waits until it is let go. */
    void hold() {
      holding = true;
    }

    @Override
    public @Nullable Block next() {
      return given.next();
    }

    @Override
    public boolean hasLanded() {
      return landed > 0 && given.hasLanded();
    }

    @Override
    public @Nullable Block poll() {
      polls++;
      if (holding) {
        held.complete(null);
        go.join();
      }
      events.add("polled");
      return landed > 0 ? given.poll() : null;
    }

    @Override
    public long bytesRead() {
      return given.bytesRead();
    }

    @Override
    public long waitNanos() {
      return 0;
    }

    @Override
    public void close() {
      events.add("closed");
      given.close();
    }
  }
}
