package org.apache.spark.shuffle.sluice.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.client.Gap;
import io.sluice.client.MissingBlocksException;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.BlockKeys;
import io.sluice.common.security.SealedBlock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.FetchFailed;
import org.apache.spark.executor.TempShuffleReadMetrics;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.apache.spark.shuffle.sluice.store.HeapBlockReader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RawBlocksTest {
  private static final int COLLECTIONS = 30;

  @Test
  void joinsChainsAndSkipsEmptyBlocks() throws IOException {
    RawBlocks blocks =
        Pieces.of(
            block(0, 0, "one"),
            block(0, BlockHeader.LAST, ""),
            block(1, BlockHeader.CONTINUES, "two-"),
            block(1, BlockHeader.CONTINUES, "and-"),
            block(1, BlockHeader.LAST, "a-half"),
            block(2, BlockHeader.LAST, "three"));

    assertThat(pieces(blocks)).containsExactly("one", "two-and-a-half", "three");
  }

  @Test
  void thePieceBeforeTheCurrentOneStaysIntact() throws IOException {
    RawBlocks blocks =
        Pieces.of(
            block(0, 0, "first"),
            block(0, BlockHeader.LAST, ""),
            block(1, BlockHeader.LAST, "other"),
            block(2, BlockHeader.LAST, "third"));
    Piece first = blocks.next();
    Piece second = blocks.next();
    assertThat(text(first)).isEqualTo("first");
    blocks.next();
    assertThat(text(second)).isEqualTo("other");
  }

  @Test
  void countsBlocksAndBytes() throws IOException {
    TempShuffleReadMetrics metrics = new TempShuffleReadMetrics();
    List<HeapBlock> given = List.of(block(0, 0, "12345"), block(1, BlockHeader.LAST, "678"));
    pieces(Pieces.of(new HeapBlockReader(given, null), metrics, missing -> true));

    assertThat(metrics.remoteBlocksFetched()).isEqualTo(2);
    assertThat(metrics.remoteBytesRead()).isEqualTo(8);
  }

  /** The driver may take its time to say what is lost, and the attempt is over then. */
  @Test
  void countsWhatWasWaitedForInVainBeforeTheDriverIsAsked() {
    TempShuffleReadMetrics metrics = new TempShuffleReadMetrics();
    List<Long> waits = new ArrayList<>();
    RawBlocks blocks =
        Pieces.of(new VainReader(gap()), metrics, missing -> waits.add(metrics.fetchWaitTime()));

    assertThatThrownBy(blocks::next).isInstanceOf(FetchFailedException.class);

    assertThat(waits).containsExactly(VainReader.WAIT_MILLIS);
    assertThat(metrics.remoteBytesRead()).isEqualTo(VainReader.BYTES);
    blocks.close();
    assertThat(metrics.fetchWaitTime()).as("once").isEqualTo(VainReader.WAIT_MILLIS);
    assertThat(metrics.remoteBytesRead()).as("once").isEqualTo(VainReader.BYTES);
  }

  @Test
  void countsTheRestAsItIsClosed() {
    TempShuffleReadMetrics metrics = new TempShuffleReadMetrics();
    RawBlocks blocks = Pieces.of(new VainReader(null), metrics, missing -> true);
    assertThatThrownBy(blocks::next).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();

    blocks.close();
    blocks.close();

    assertThat(metrics.fetchWaitTime()).isEqualTo(VainReader.WAIT_MILLIS);
    assertThat(metrics.remoteBytesRead()).isEqualTo(VainReader.BYTES);
  }

  /** A function of the user's may catch what it gets instead of a row, and ask for the next one. */
  @Test
  void whoReadsOnThoughReadingFailedIsNotTakenToTheEnd() {
    SluiceException tooLong = new SluiceException(ErrorCode.BLOCK_TOO_LARGE, "on purpose");
    RawBlocks blocks =
        Pieces.of(new OnceFailing(tooLong), new TempShuffleReadMetrics(), missing -> true);
    assertThatThrownBy(blocks::next).isSameAs(tooLong);
    assertThatThrownBy(blocks::next).isInstanceOf(WentOnException.class).hasCause(tooLong);
    assertThatThrownBy(blocks::next).as("the first one").hasCause(tooLong);
    blocks.close();
  }

  /** Pieces end between records: what came before would be whole rows, and twice. */
  @Test
  void whoReadsOnThoughReadingWasInterruptedGetsNothingTwice() throws IOException {
    RawBlocks blocks =
        Pieces.of(
            new InterruptedBehind(block(0, BlockHeader.LAST, "one")),
            new TempShuffleReadMetrics(),
            missing -> true);
    BlockInputStream stream = new BlockInputStream(blocks);
    assertThat(stream.readNBytes(3)).isEqualTo("one".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(stream::read).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();

    assertThat(stream.available()).isZero();
    assertThatThrownBy(stream::read)
        .isInstanceOf(WentOnException.class)
        .hasCauseInstanceOf(InterruptedIOException.class);
    blocks.close();
  }

  /** Has one block, and waits for the end that it has in vain once. */
  private static final class InterruptedBehind extends FakeBlockReader {
    private final HeapBlockReader given;
    private boolean interrupted;

    InterruptedBehind(HeapBlock block) {
      this.given = new HeapBlockReader(List.of(block), null);
    }

    @Override
    public @Nullable Block next() throws InterruptedException {
      Block next = given.next();
      if (next == null && !interrupted) {
        interrupted = true;
        throw new InterruptedException("on purpose");
      }
      return next;
    }

    @Override
    public long bytesRead() {
      return given.bytesRead();
    }
  }

  /** Fails of one block, and has no other. */
  private static final class OnceFailing extends FakeBlockReader {
    private final SluiceException failure;
    private boolean failed;

    OnceFailing(SluiceException failure) {
      this.failure = failure;
    }

    @Override
    public @Nullable Block next() {
      if (!failed) {
        failed = true;
        throw failure;
      }
      return null;
    }
  }

  /** Waits for what does not come, with part of a block. */
  private static final class VainReader extends FakeBlockReader {
    static final long WAIT_MILLIS = 30_000;
    static final long BYTES = 100;

    private final @Nullable SluiceException failure;
    private boolean waited;

    /**
     * @param failure null if it is interrupted
     */
    VainReader(@Nullable SluiceException failure) {
      this.failure = failure;
    }

    @Override
    public @Nullable Block next() throws InterruptedException {
      waited = true;
      if (failure == null) {
        throw new InterruptedException("on purpose");
      }
      throw failure;
    }

    @Override
    public long bytesRead() {
      return waited ? BYTES : 0;
    }

    @Override
    public long waitNanos() {
      return waited ? TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS) : 0;
    }
  }

  @Test
  void reportsAllMissingMapsBeforeOneFetchFailure() throws IOException {
    List<MissingMaps> reports = new ArrayList<>();
    RawBlocks blocks = withGap(reports::add);
    assertThat(blocks.next()).isNotNull();

    Throwable thrown = catchThrowable(blocks::next);

    assertThat(reports).hasSize(1);
    MissingMaps report = reports.get(0);
    assertThat(report.delivered()).isFalse();
    assertThat(report.shuffleId()).isEqualTo(Pieces.SHUFFLE);
    assertThat(report.count()).isEqualTo(2);
    assertThat(report.maps()).extracting(MissingMap::mapIndex).containsExactly(1, 3);
    assertThat(report.maps()).extracting(MissingMap::attemptId).containsExactly(101L, 103L);

    assertThat(thrown).isInstanceOf(FetchFailedException.class);
    FetchFailed reason = (FetchFailed) ((FetchFailedException) thrown).toTaskFailedReason();
    assertThat(reason.bmAddress()).isEqualTo(MapLocation.of(Pieces.SHUFFLE, 1, 101, 0, 0));
    assertThat(reason.shuffleId()).isEqualTo(Pieces.SHUFFLE);
    assertThat(reason.mapId()).isEqualTo(101);
    assertThat(reason.mapIndex()).isEqualTo(1);
    assertThat(reason.reduceId()).isZero();
    assertThat(reason.message()).contains("server so-and-so").contains("2 maps");
  }

  @Test
  void failsTheFetchEvenIfTheDriverDoesNotAnswer() throws IOException {
    RawBlocks blocks =
        withGap(
            missing -> {
              throw new IllegalStateException("no answer");
            });
    blocks.next();

    assertThatThrownBy(blocks::next)
        .isInstanceOf(FetchFailedException.class)
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
  }

  @Test
  void closesTheReader() {
    HeapBlockReader reader = new HeapBlockReader(List.of(), null);
    RawBlocks blocks = Pieces.of(reader, new TempShuffleReadMetrics(), missing -> true);
    blocks.close();
    blocks.close();
    assertThat(reader.isClosed()).isTrue();
  }

  @Test
  void closesNothingUnderTheThreadThatReads() throws Exception {
    HeldBlockReader reader = new HeldBlockReader(block(0, BlockHeader.LAST, "one"));
    TempShuffleReadMetrics metrics = new TempShuffleReadMetrics();
    RawBlocks blocks = Pieces.of(reader, metrics, missing -> true);
    CompletableFuture<@Nullable Piece> read = CompletableFuture.supplyAsync(() -> next(blocks));
    reader.reading.get(60, TimeUnit.SECONDS);

    blocks.close();
    assertThat(reader.closes).as("a block may be on its way to the reader").hasValue(0);
    reader.go.complete(null);

    assertThat(text(read.get(60, TimeUnit.SECONDS))).isEqualTo("one");
    blocks.close();
    assertThat(reader.closes).hasValue(1);
    assertThat(metrics.remoteBlocksFetched()).as("by the thread that read").isEqualTo(1);
    assertThatThrownBy(blocks::next)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
    assertThat(reader.asked).as("after it was closed").hasValue(1);
  }

  private static @Nullable Piece next(RawBlocks blocks) {
    try {
      return blocks.next();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Gives one block, once it is let go. */
  private static final class HeldBlockReader extends FakeBlockReader {
    final CompletableFuture<@Nullable Void> reading = new CompletableFuture<>();
    final CompletableFuture<@Nullable Void> go = new CompletableFuture<>();
    final AtomicInteger asked = new AtomicInteger();
    final AtomicInteger closes = new AtomicInteger();
    private final HeapBlockReader given;

    HeldBlockReader(HeapBlock block) {
      this.given = new HeapBlockReader(List.of(block), null);
    }

    @Override
    public @Nullable Block next() throws InterruptedException {
      asked.incrementAndGet();
      reading.complete(null);
      go.join();
      return given.next();
    }

    @Override
    public long bytesRead() {
      return given.bytesRead();
    }

    @Override
    public void close() {
      closes.incrementAndGet();
    }
  }

  @Test
  void aBlockThatDoesNotDecompressHasItsMapRunAgain() throws IOException {
    List<MissingMaps> reports = new ArrayList<>();
    HeapBlock whole = block(0, BlockHeader.LAST, "whole");
    HeapBlock bad = new HeapBlock(1, 2, 102, 7, BlockHeader.LAST, 4, 1, new byte[3]);
    RawBlocks blocks =
        Pieces.of(
            new HeapBlockReader(List.of(whole, bad), null),
            new TempShuffleReadMetrics(),
            reports::add);
    assertThat(text(blocks.next())).isEqualTo("whole");

    Throwable thrown = catchThrowable(blocks::next);

    assertThat(reports).hasSize(1);
    assertThat(reports.get(0).count()).isEqualTo(1);
    assertThat(reports.get(0).maps().get(0).mapIndex()).isEqualTo(2);
    assertThat(reports.get(0).maps().get(0).attemptId()).isEqualTo(102);
    assertThat(reports.get(0).complaints()).isEmpty();
    assertThat(reports.get(0).delivered()).as("as it was sent").isTrue();
    assertThat(reports.get(0).reason())
        .contains("CORRUPT_BLOCK: shuffle 5, partition 1, map 2, attempt 102, block 7");
    assertThat(thrown).isInstanceOf(FetchFailedException.class);
    FetchFailed reason = (FetchFailed) ((FetchFailedException) thrown).toTaskFailedReason();
    assertThat(reason.bmAddress()).isEqualTo(MapLocation.of(Pieces.SHUFFLE, 2, 102, 0, 0));
    assertThat(reason.mapId()).isEqualTo(102);
    assertThat(reason.mapIndex()).isEqualTo(2);
    assertThat(reason.reduceId()).isEqualTo(1);
  }

  @Test
  void keepsNothingOnceItIsClosed() throws Exception {
    RawBlocks blocks = Pieces.of(block(0, 0, "one"), block(0, 0, "two"), block(0, 1, "three"));
    ReferenceQueue<byte[]> collected = new ReferenceQueue<>();
    List<Reference<byte[]>> pieces = List.of(bytes(blocks, collected), bytes(blocks, collected));
    blocks.close();

    List<Reference<?>> found = new ArrayList<>();
    for (int i = 0; i < COLLECTIONS && found.size() < pieces.size(); i++) {
      System.gc();
      Reference<?> one = collected.remove(1_000);
      if (one != null) {
        found.add(one);
      }
    }
    assertThat(found).hasSameElementsAs(pieces);
    blocks.close();
  }

  private static Reference<byte[]> bytes(RawBlocks blocks, ReferenceQueue<byte[]> collected)
      throws IOException {
    return new WeakReference<>(Objects.requireNonNull(blocks.next()).bytes(), collected);
  }

  @Test
  void encryptedBlocksAreReadAndOthersRefused() throws IOException {
    BlockKeys keys = BlockKeys.of(new byte[16]);
    HeapBlock first = sealed(keys, block(0, BlockHeader.CONTINUES, "one-"));
    HeapBlock second = sealed(keys, block(0, BlockHeader.LAST, "and-a-half"));
    HeapBlock empty = sealed(keys, block(1, BlockHeader.LAST, ""));
    HeapBlock end = block(2, BlockHeader.LAST, "");
    assertThat(pieces(Pieces.encrypted(keys, first, second, empty, end)))
        .containsExactly("one-and-a-half");

    for (HeapBlock stranger :
        List.of(block(2, 0, "as it is"), block(2, 0, "that is not sealed but long enough"))) {
      RawBlocks blocks = Pieces.encrypted(keys, stranger);
      assertThatThrownBy(blocks::next)
          .isInstanceOf(FetchFailedException.class)
          .hasMessageContaining("partition 0, map 2, attempt 102, block 0")
          .cause()
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BLOCK));
    }
  }

  private static HeapBlock sealed(BlockKeys keys, HeapBlock block) {
    byte[] stored = new byte[block.rawLength() + SealedBlock.OVERHEAD];
    keys.encryption(block.attemptId())
        .seal(
            block.payload(),
            ByteBuffer.wrap(stored),
            block.partition(),
            block.mapIndex(),
            block.rawLength(),
            block.codec());
    return new HeapBlock(
        block.partition(),
        block.mapIndex(),
        block.attemptId(),
        block.sequence(),
        block.flags(),
        block.rawLength(),
        block.recordCount(),
        stored);
  }

  private static MissingBlocksException gap() {
    return new MissingBlocksException(
        ErrorCode.DATA_LOST,
        Gap.of(
            new ShuffleKey(ApplicationId.of(1, 2), Pieces.SHUFFLE, 0),
            List.of(new MissingMap(1, 101, 0), new MissingMap(3, 103, 1))),
        "server so-and-so is gone");
  }

  private static RawBlocks withGap(MissingMaps.Listener driver) {
    HeapBlockReader reader =
        new HeapBlockReader(List.of(block(0, BlockHeader.LAST, "present")), gap());
    return Pieces.of(reader, new TempShuffleReadMetrics(), driver);
  }

  private static List<String> pieces(RawBlocks blocks) throws IOException {
    List<String> pieces = new ArrayList<>();
    Piece piece;
    while ((piece = blocks.next()) != null) {
      pieces.add(text(piece));
    }
    return pieces;
  }

  private static String text(@Nullable Piece piece) {
    assertThat(piece).isNotNull();
    return new String(piece.bytes(), 0, piece.length(), StandardCharsets.UTF_8);
  }

  private static HeapBlock block(int map, int flags, String raw) {
    return Pieces.block(map, flags, raw.getBytes(StandardCharsets.UTF_8));
  }
}
