package io.sluice.client.fetch;

import io.sluice.client.BlockReader;
import io.sluice.client.ExpectedMaps;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.DamagedBlock;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The task's end of a round of a read: goes through what has landed, block by block, checks each,
 * and delivers those of winning attempts once, but for long records that it sets aside. It ends
 * when everything expected was seen, or when every server was asked for the last time.
 */
final class FetchingBlockReader implements BlockReader {
  private static final Logger log = LoggerFactory.getLogger(FetchingBlockReader.class);

  private final ReadScope scope;
  private final ExpectedMaps expected;
  private final FetchContext context;
  private final ArrivalQueue arrivals;
  private final Completeness completeness;
  private final FetchSchedule schedule;
  private final SpanningRecords spanning;
  private final Crc32c crc = new Crc32c();
  private final BlockView block = new BlockView();
  private final BlockView heldBlock = new BlockView();

  private @Nullable LandedBlocks landed;
  private int next;
  private boolean ended;
  private long bytesRead;
  private long waitNanos;

  /**
   * A reader that asks nobody before {@link #start}.
   *
   * @param spanning holds records that are longer than a block; closed with this
   */
  FetchingBlockReader(ReadScope scope, ReadContext read, SpanningRecords spanning) {
    this.scope = scope;
    this.expected = scope.expected();
    this.context = read.client();
    this.arrivals = new ArrivalQueue(read.signal());
    this.completeness = new Completeness(scope);
    this.schedule = new FetchSchedule(scope, read, completeness, arrivals);
    this.spanning = spanning;
  }

  /** Sends the first requests. Once, on the thread that reads, before {@link #next}. */
  void start() {
    schedule.start();
  }

  @Override
  public @Nullable Block next() throws InterruptedException {
    while (!ended) {
      Block landedBlock = nextOfLanded();
      if (landedBlock != null) {
        return landedBlock;
      }
      if (completeness.isComplete()) {
        end();
      } else if (schedule.isDone()) {
        throw schedule.missing();
      } else {
        nextArrival().deliver(this);
      }
    }
    return null;
  }

  @Override
  public boolean hasLanded() {
    LandedBlocks current = landed;
    return spanning.hasReady()
        || (current != null && next < current.length())
        || (!ended && arrivals.hasMore());
  }

  /** How it ends, well or not, is left to {@link #next}. */
  @Override
  public @Nullable Block poll() {
    while (!ended) {
      Block landedBlock = nextOfLanded();
      if (landedBlock != null) {
        return landedBlock;
      }
      boolean over = completeness.isComplete() || schedule.isDone();
      Arrival arrival = over ? null : arrivals.poll();
      if (arrival == null) {
        return null;
      }
      arrival.deliver(this);
    }
    return null;
  }

  /** The next block to deliver of what was taken from the queue of arrivals. */
  private @Nullable Block nextOfLanded() {
    do {
      ByteBuffer held = spanning.poll();
      if (held != null) {
        heldBlock.over(held);
        heldBlock.at(0);
        heldBlock.followedBy(spanning.readyRawBytes());
        return heldBlock;
      }
      if (advance()) {
        return block;
      }
    } while (spanning.hasReady());
    return null;
  }

  private void end() {
    if (schedule.isHopeless()) {
      throw new SluiceException(
          ErrorCode.INTERNAL_ERROR,
          "shuffle " + scope.shuffle() + " is whole, but parts of it were taken for lost");
    }
    if (spanning.isHolding()) {
      throw new SluiceException(
          ErrorCode.INTERNAL_ERROR,
          "shuffle " + scope.shuffle() + " has a record whose end was never written");
    }
    close();
  }

  private Arrival nextArrival() throws InterruptedException {
    Arrival arrival = arrivals.poll();
    if (arrival != null) {
      return arrival;
    }
    long start = context.clock().nanoTime();
    schedule.waitBegins(start);
    boolean inVain = false;
    try {
      arrival = arrivals.take();
      inVain = arrival instanceof StallWatch.Stall;
      return arrival;
    } finally {
      schedule.waitEnds(inVain);
      waitNanos += context.clock().nanoTime() - start;
    }
  }

  // --------------------------------------------------------------------------------- arrivals

  void landed(LandedBlocks blocks) {
    landed = blocks;
    next = 0;
    block.over(blocks.bytes());
    bytesRead += blocks.length();
  }

  void streamOver(ServerFetch fetch, @Nullable SluiceException cause) {
    schedule.streamOver(fetch, cause);
  }

  void givenUp(ServerFetch fetch, @Nullable SluiceException cause) {
    schedule.givenUp(fetch, cause);
  }

  void troubled(ServerFetch fetch) {
    schedule.troubled(fetch);
  }

  void damaged(ServerFetch fetch, int partition) {
    fetch.damage().at(partition - scope.firstPartition());
  }

  void again(ServerFetch fetch) {
    schedule.again(fetch);
  }

  void stalled(long from, long to) {
    schedule.stalled(from, to);
  }

  // ----------------------------------------------------------------------------- block by block

  /**
   * Moves to the next block to deliver of what has landed; false if there is none, or if a chain of
   * held blocks has become ready first.
   */
  private boolean advance() {
    LandedBlocks current = landed;
    if (current == null) {
      return false;
    }
    while (next < current.length()) {
      block.at(next);
      next += block.length();
      if (isWanted(current)) {
        if (!isPartOfChain()) {
          return true;
        }
        spanning.hold(block);
        if (spanning.hasReady()) {
          return false;
        }
      }
    }
    release();
    return false;
  }

  /** Whether the block is intact, of a winning attempt, new, and worth delivering. */
  private boolean isWanted(LandedBlocks current) {
    ByteBuffer bytes = current.bytes();
    int offset = next - block.length();
    int partition = block.partition();
    if (!scope.hasPartition(partition) || !BlockHeader.crcMatches(bytes, offset, crc)) {
      sawCorruption(current.stream());
      return false;
    }
    int position = expected.positionOf(block.mapIndex());
    if (position < 0 || expected.attemptId(position) != block.attemptId()) {
      return false;
    }
    if (!completeness.isExpected(position, partition)) {
      return isSurprise(position, partition);
    }
    if (isTooLate(current.stream().fetch(), partition)) {
      return false;
    }
    boolean last = (block.flags() & BlockHeader.LAST) != 0;
    if (!completeness.add(position, partition, block.sequence(), last)) {
      return false;
    }
    current.stream().fetch().gotSomethingNew();
    boolean empty = block.recordCount() == 0 && !block.payload().hasRemaining();
    return !schedule.isHopeless() && (!empty || isPartOfChain());
  }

  /**
   * Once something counts as lost, blocks are not delivered any more but only struck off the list
   * of what is missing. What was taken for lost must then stay on it, also if it comes yet: from a
   * server that was given up, or from one that was asked for its neighbours and has it although the
   * placement does not say so.
   */
  private boolean isTooLate(ServerFetch fetch, int partition) {
    return schedule.isHopeless() && !fetch.mayBring(partition - scope.firstPartition());
  }

  private boolean isPartOfChain() {
    return (block.flags() & (BlockHeader.CONTINUES | BlockHeader.CONTINUED)) != 0;
  }

  /**
   * A winner's block where the engine says it has none: wrong, unless outside of what was asked.
   */
  private boolean isSurprise(int position, int partition) {
    int map = block.mapIndex();
    boolean asked = map >= scope.firstMap() && map < scope.endMap();
    if (asked && !expected.nonEmpty(position, partition) && block.recordCount() > 0) {
      throw new SluiceException(
          ErrorCode.INTERNAL_ERROR,
          "records where the engine expects none, shuffle "
              + scope.shuffle()
              + ": "
              + block.describe());
    }
    return false;
  }

  private void sawCorruption(LandingStream stream) {
    ServerFetch fetch = stream.fetch();
    String what = "damaged block, shuffle " + scope.shuffle() + ", " + block.describe();
    log.warn("{}: {}, from server {}", ErrorCode.CORRUPT_BLOCK, what, fetch.server());
    fetch.damage().met(what);
    damaged(fetch, block.partition());
    stream.damaged(
        new DamagedBlock(
            scope.shuffle(),
            block.partition(),
            block.mapIndex(),
            block.attemptId(),
            block.sequence()));
  }

  private void release() {
    LandedBlocks current = landed;
    if (current == null) {
      return;
    }
    landed = null;
    current.release();
    current.stream().consumed(current.length());
  }

  // ---------------------------------------------------------------------------------- the rest

  /** Servers that were in trouble, by their index in the placement. */
  BitSet doubted() {
    return schedule.doubted();
  }

  @Override
  public long bytesRead() {
    return bytesRead;
  }

  @Override
  public long waitNanos() {
    return waitNanos;
  }

  @Override
  public void close() {
    ended = true;
    release();
    schedule.close();
    arrivals.close();
    spanning.close();
  }
}
