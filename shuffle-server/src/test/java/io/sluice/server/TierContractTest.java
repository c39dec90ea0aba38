package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.replication.ReplicationLimits;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.Tier;
import io.sluice.transport.ServerIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a reader may rely on wherever blocks lie, in memory or in stores of some tier. A whole core
 * under real threads; before anything is read, all of it is where the tier says.
 */
public abstract class TierContractTest {
  /** Bytes of a full unit: small, so that a test has some ten of them. */
  protected static final int UNIT = 256 << 10;

  /** Bytes of a segment, so that a test has some of these, too. */
  protected static final long SEGMENT = 2L * UNIT;

  /** More than half of a unit: no two fit into one. */
  private static final int BLOCK_MAX = 200_000;

  /** More than the steps of an extent's index, which knows where each such block begins. */
  private static final int INDEXED_BLOCK = 70_000;

  // More than a stream looks ahead.
  private static final int PARTITIONS = 24;
  private static final int MAPS = 12;
  private static final int BLOCKS_PER_MAP = 2;
  private static final int ALL_MAPS = Integer.MAX_VALUE;

  private static final long ARENA = 64 << 20;
  private static final int CONNECTIONS_MAX = 8;
  // All that one writer pushes here: none has to wait for credit.
  private static final long SEED = ARENA / 2 / CONNECTIONS_MAX;
  private static final int WRITERS = 2;
  private static final int READERS = 4;
  private static final long LITTLE = 1_000;

  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final ShuffleKey OTHER = CoreFixture.shuffle(2);
  private static final ServerIdentity IDENTITY =
      new ServerIdentity(ServerId.of(3, 4), LoopClient.INCARNATION);

  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final ThreadScheduler timers =
      new ThreadScheduler("timers", Clock.system(), (thread, failure) -> failures.add(failure));
  private final ExecutorService flushing = Executors.newFixedThreadPool(2, this::watched);
  private final List<LoopClient> writers = new ArrayList<>();
  private final List<LoopClient> readers = new ArrayList<>();
  private List<? extends SegmentStore> stores;
  private ServerCore core;

  /**
   * The stores that all blocks are to be in, of an empty place of their own; none if blocks are to
   * stay in memory. The caller closes them.
   */
  protected abstract List<? extends SegmentStore> openStores(Scheduler scheduler);

  /** Segment files there are now, also of stores that are closed. */
  protected abstract List<String> segmentFiles();

  /** Fails unless so many bytes of blocks lie in this tier and nowhere else. */
  protected abstract void assertHolds(ServerCore core, long bytes);

  /** Fails unless stores of a tier hold all of that, in several segments, and memory nothing. */
  protected final void assertStored(ServerCore core, Tier tier, long bytes) {
    assertThat(stores).isNotEmpty().allMatch(store -> store.tier() == tier);
    assertThat(stores.stream().mapToLong(store -> store.usage().payloadBytesWritten()).sum())
        .isEqualTo(bytes);
    assertThat(core.stats().flushedBytes()).isEqualTo(bytes);
    assertThat(core.unsavedBytes()).isZero();
    assertThat(core.arena().chunkBytes()).as("bytes in memory").isZero();
    assertThat(segmentFiles()).hasSizeGreaterThan(1);
  }

  @BeforeEach
  void start() throws Exception {
    stores = openStores(timers);
    core =
        new ServerCore(
            new CoreSettings(
                new CoreSettings.Memory(ARENA, 64 << 20),
                UNIT,
                new CoreSettings.Reads(16 * 1024, 8),
                new CreditLimits(
                    SEED, CONNECTIONS_MAX, BLOCK_MAX, SEED, 60_000_000_000L, 60_000_000_000L),
                FlushLimits.ofArena(ARENA, 0.4, UNIT * 7 / 8, 1_000_000),
                QuotaLimits.NONE,
                ReplicationLimits.NONE),
            new CoreSeams(timers, flushing, () -> IDENTITY, List.copyOf(stores)));
    // All at once, since a core that has written everything to its stores takes no more.
    for (int i = 0; i < WRITERS; i++) {
      writers.add(new LoopClient(core, this::watched));
    }
    for (int i = 0; i < READERS; i++) {
      readers.add(new LoopClient(core, this::watched));
    }
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    List<LoopClient> clients = Stream.concat(writers.stream(), readers.stream()).toList();
    for (LoopClient client : clients) {
      client.close();
    }
    List.copyOf(core.shuffles().all()).forEach(shuffle -> core.shuffles().remove(shuffle.key()));
    // Ends reads and unlinks what was removed.
    stores.forEach(SegmentStore::close);
    for (LoopClient client : clients) {
      end(client.loop());
    }
    end(flushing);
    timers.close();
    assertThat(failures).isEmpty();
    assertThat(core.arena().chunkBytes()).as("bytes in chunks").isZero();
    assertThat(core.arena().budget().free() + core.credit().limits().reserveBytes())
        .as("free but for the seeds")
        .isEqualTo(ARENA);
    assertThat(core.leases().leased()).as("leased bytes").isZero();
    assertThat(core.leases().waiting()).as("readers that wait for leases").isZero();
    assertThat(core.readBuffers().inUse()).as("read buffers").isZero();
    assertThat(core.quotas().used()).as("bytes on quotas").isZero();
    assertThat(core.tables().used()).as("heap of tables").isZero();
    assertThat(segmentFiles()).as("segment files").isEmpty();
  }

  private static void end(ExecutorService threads) throws InterruptedException {
    threads.shutdown();
    assertThat(threads.awaitTermination(LoopClient.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  private Thread watched(Runnable task) {
    Thread thread = new Thread(task, "tier-contract");
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler((failed, failure) -> failures.add(failure));
    return thread;
  }

  @Test
  void everyBlockComesOnceByteForByte() throws Exception {
    List<TestBlock> blocks = blocksOfAllSizes();
    push(SHUFFLE, blocks);
    settle(blocks);

    for (int partition = 0; partition < PARTITIONS; partition++) {
      int wanted = partition;
      assertThat(fetch(readers.get(partition % READERS), partition, partition + 1))
          .isNotEmpty()
          .containsExactlyInAnyOrderElementsOf(
              blocks.stream().filter(block -> block.partition() == wanted).toList());
    }
    assertThat(fetch(readers.get(0), 0, PARTITIONS)).containsExactlyInAnyOrderElementsOf(blocks);
    // Both times from where they are.
    assertThat(core.stats().readBytes()).isEqualTo(stores.isEmpty() ? 0 : 2 * bytesOf(blocks));
  }

  @Test
  void aRangeOfMapsComesAlone() throws Exception {
    List<TestBlock> blocks = new ArrayList<>();
    for (int map = 0; map < MAPS; map += 2) {
      for (int partition = 0; partition < 2; partition++) {
        blocks.add(new TestBlock(partition, map, 10 + map, 0, INDEXED_BLOCK));
      }
    }
    push(SHUFFLE, blocks);
    settle(blocks);

    for (int first = 0; first < MAPS; first++) {
      for (int end = first + 1; end <= MAPS + 1; end++) {
        assertThat(fetchMaps(0, first, end))
            .as("maps from %s to %s", first, end)
            .containsExactlyInAnyOrderElementsOf(ofMaps(blocks, 0, first, end));
      }
    }
    assertThat(fetchMaps(1, 5, ALL_MAPS))
        .containsExactlyInAnyOrderElementsOf(ofMaps(blocks, 1, 5, ALL_MAPS));
  }

  /** The index of an extent has gaps, and what lies in them may come along. */
  @Test
  void aRangeOfMapsIsWholeHoweverSmallItsBlocksAre() throws Exception {
    List<TestBlock> blocks = blocksOfAllSizes();
    push(SHUFFLE, blocks);
    settle(blocks);

    for (int first = 0; first < MAPS; first += 3) {
      List<TestBlock> wanted = ofMaps(blocks, 3, first, first + 3);
      List<TestBlock> fetched = fetchMaps(3, first, first + 3);
      assertThat(fetched).isNotEmpty().doesNotHaveDuplicates().containsAll(wanted);
      assertThat(blocks).containsAll(fetched);
    }
  }

  @Test
  void manyReadersOfOnePartitionEachGetAllOfIt() throws Exception {
    List<TestBlock> blocks = blocksOfAllSizes();
    push(SHUFFLE, blocks);
    settle(blocks);
    int streamsEach = 8;
    List<LoopFetch> fetches = new ArrayList<>();
    for (int i = 0; i < streamsEach; i++) {
      for (LoopClient reader : readers) {
        fetches.add(new LoopFetch(reader, SHUFFLE, 5, 6).begin(LITTLE));
      }
    }
    // All are under way, and go on side by side.
    for (LoopFetch fetch : fetches) {
      fetch.awaitBegun();
    }
    fetches.forEach(LoopFetch::goOn);

    List<TestBlock> wanted = blocks.stream().filter(block -> block.partition() == 5).toList();
    for (LoopFetch fetch : fetches) {
      assertThat(fetch.blocks()).containsExactlyInAnyOrderElementsOf(wanted);
    }
  }

  @Test
  void whoReadsWhileBlocksMoveThereGetsEachOnce() throws Exception {
    List<TestBlock> blocks = blocksOfAllSizes();
    push(SHUFFLE, blocks);
    List<LoopFetch> fetches = new ArrayList<>();
    for (LoopClient reader : readers) {
      fetches.add(new LoopFetch(reader, SHUFFLE, 0, PARTITIONS).begin(LITTLE));
      fetches.add(new LoopFetch(reader, SHUFFLE, 2, 4).begin(LITTLE));
    }
    for (LoopFetch fetch : fetches) {
      fetch.awaitBegun();
    }
    fetches.subList(0, READERS).forEach(LoopFetch::goOn);
    moveAll();
    fetches.subList(READERS, fetches.size()).forEach(LoopFetch::goOn);

    for (LoopFetch fetch : fetches) {
      assertThat(fetch.blocks()).containsExactlyInAnyOrderElementsOf(fetch.wantedOf(blocks));
    }
  }

  /** That nothing stays of it is seen after each test. */
  @Test
  void aRemovedShuffleIsGoneAtOnceAndNoReaderMistakesWhatIsLeftForAll() throws Exception {
    List<TestBlock> blocks = blocksOfAllSizes();
    List<TestBlock> others = blocksOfAllSizes();
    push(SHUFFLE, blocks);
    push(OTHER, others);
    settle(Stream.concat(blocks.stream(), others.stream()).toList());
    List<LoopFetch> before = new ArrayList<>();
    for (LoopClient reader : readers) {
      before.add(new LoopFetch(reader, SHUFFLE, 0, PARTITIONS).begin(LITTLE));
      before.add(new LoopFetch(reader, SHUFFLE, 6, 7).begin(LITTLE));
    }
    for (LoopFetch fetch : before) {
      fetch.awaitBegun();
    }

    core.shuffles().remove(SHUFFLE);

    for (LoopClient reader : readers) {
      assertUnknown(reader, SHUFFLE);
    }
    before.forEach(LoopFetch::goOn);
    for (LoopFetch fetch : before) {
      fetch.assertWholeOrRemoved(blocks);
    }
    assertThat(core.quotas().used()).isEqualTo(bytesOf(others));
    assertThat(new LoopFetch(readers.get(0), OTHER, 0, PARTITIONS).begin(LoopFetch.AMPLE).blocks())
        .containsExactlyInAnyOrderElementsOf(others);
  }

  @Test
  void whatIsUnknownYieldsNoBlocks() throws Exception {
    List<TestBlock> blocks =
        blocksOfAllSizes().stream().filter(block -> block.partition() != 4).toList();
    push(SHUFFLE, blocks);
    settle(blocks);

    assertUnknown(readers.get(0), OTHER);
    assertUnknown(readers.get(0), new ShuffleKey(ApplicationId.of(8, 9), 1, 0));
    assertThat(fetch(readers.get(1), 4, 5)).as("a partition that others surround").isEmpty();
    assertThat(fetch(readers.get(1), PARTITIONS, PARTITIONS + 500)).isEmpty();
    assertThat(fetchMaps(0, MAPS, ALL_MAPS)).as("maps that pushed nothing").isEmpty();
    assertThat(core.shuffles().all()).as("none was made by asking").hasSize(1);
  }

  @Test
  void theLargestAndTheSmallestBlocksComeBack() throws Exception {
    List<TestBlock> blocks = new ArrayList<>();
    for (int sequence = 0; sequence < 400; sequence++) {
      int stored = sequence % 40 == 7 ? BLOCK_MAX : 1;
      blocks.add(new TestBlock(sequence % 2, sequence % 5, 9, sequence, stored));
    }
    push(SHUFFLE, blocks);
    settle(blocks);

    assertThat(fetch(readers.get(0), 0, 2)).containsExactlyInAnyOrderElementsOf(blocks);
  }

  /** Of all maps and partitions, those of a partition and a map apart from each other. */
  private static List<TestBlock> blocksOfAllSizes() {
    SplittableRandom random = new SplittableRandom(1);
    List<TestBlock> blocks = new ArrayList<>();
    for (int sequence = 0; sequence < BLOCKS_PER_MAP; sequence++) {
      for (int map = 0; map < MAPS; map++) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          int stored = 1 + random.nextInt(random.nextInt(10) == 0 ? 60_000 : 6_000);
          blocks.add(new TestBlock(partition, map, 10 + map, sequence, stored));
        }
      }
    }
    return blocks;
  }

  private static List<TestBlock> ofMaps(List<TestBlock> blocks, int partition, int first, int end) {
    return blocks.stream()
        .filter(block -> block.partition() == partition)
        .filter(block -> block.map() >= first && block.map() < end)
        .toList();
  }

  private static long bytesOf(List<TestBlock> blocks) {
    return blocks.stream().mapToLong(TestBlock::length).sum();
  }

  /** Has all writers push at a time, each a part. */
  private void push(ShuffleKey shuffle, List<TestBlock> blocks) throws Exception {
    List<Future<?>> pushed = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      LoopClient writer = writers.get(i);
      List<TestBlock> part = new ArrayList<>();
      for (int at = i; at < blocks.size(); at += WRITERS) {
        part.add(blocks.get(at));
      }
      pushed.add(writer.push(shuffle, part));
    }
    for (Future<?> part : pushed) {
      LoopClient.get(part);
    }
  }

  /** Has all blocks that were pushed go where this tier keeps them. */
  private void settle(List<TestBlock> pushed) throws Exception {
    moveAll();
    assertThat(core.quotas().used()).isEqualTo(bytesOf(pushed));
    assertHolds(core, bytesOf(pushed));
  }

  private void moveAll() throws Exception {
    if (!stores.isEmpty()) {
      assertThat(LoopClient.get(core.drain())).isTrue();
    }
  }

  private List<TestBlock> fetch(LoopClient reader, int first, int end) throws Exception {
    return new LoopFetch(reader, SHUFFLE, first, end).begin(LoopFetch.AMPLE).blocks();
  }

  private List<TestBlock> fetchMaps(int partition, int first, int end) throws Exception {
    LoopFetch fetch =
        new LoopFetch(readers.get(first % READERS), SHUFFLE, partition, partition + 1);
    return fetch.ofMaps(first, end).begin(LoopFetch.AMPLE).blocks();
  }

  private static void assertUnknown(LoopClient reader, ShuffleKey shuffle) throws Exception {
    TestPeer.Stream stream =
        new LoopFetch(reader, shuffle, 0, PARTITIONS).begin(LoopFetch.AMPLE).awaitEnd();
    assertThat(stream.failure).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
    assertThat(stream.problem).contains(shuffle.toString());
    assertThat(stream.bytes()).isZero();
    assertThat(stream.ended).isFalse();
  }
}
