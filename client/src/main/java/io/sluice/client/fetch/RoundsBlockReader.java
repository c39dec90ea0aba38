package io.sluice.client.fetch;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.BlockReader;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.ReaderMemory;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A read, in one round mostly. Records that are longer than a block and find no room while others
 * of their kind are under way are set aside, and read again in rounds behind the first: each is a
 * read of its own, of a few maps in one partition, that takes of their blocks those that were
 * dropped.
 *
 * <p>The first round proves that everything is there, what it drops as well; so it is known how
 * long the records are that were set aside, and a round begins when there is room for at least the
 * longest that the first of its maps has. That one map is never in the way of itself: its chains
 * are kept in order, so every round delivers one at least.
 */
public final class RoundsBlockReader implements BlockReader {
  private final ReadScope scope;
  private final ReadContext read;
  private final ReaderMemory memory;
  private final LongRecordMemory.Room room;
  private final SetAside setAside = new SetAside();

  private FetchingBlockReader round;
  private long bytesBefore;
  private long waitNanosBefore;
  private boolean closed;

  /**
   * A reader that asks nobody before {@link #start}.
   *
   * @param memory told what is held of records that are longer than a block
   * @param credit bytes that may be under way
   */
  public RoundsBlockReader(
      ReadScope scope,
      ConnectionPool connections,
      FetchContext context,
      ReaderMemory memory,
      long credit) {
    this.scope = scope;
    this.read = new ReadContext(connections, context, credit);
    this.memory = memory;
    this.room = context.longRecords().open();
    this.round = round(scope, (map, sequence) -> 0);
  }

  private FetchingBlockReader round(ReadScope part, IntBinaryOperator chainStarts) {
    SpanningRecords spanning = new SpanningRecords(room, memory, setAside, chainStarts);
    return new FetchingBlockReader(part, read, spanning);
  }

  /** Sends the first requests. Once, on the thread that reads, before {@link #next}. */
  public void start() {
    round.start();
  }

  @Override
  public @Nullable Block next() throws InterruptedException {
    Block block = round.next();
    while (block == null && !closed) {
      if (!setAside.isAny()) {
        close();
        return null;
      }
      beginRound();
      block = round.next();
    }
    return block;
  }

  @Override
  public boolean hasLanded() {
    return round.hasLanded();
  }

  /** Of a round that has begun: to begin one is left to {@link #next}. */
  @Override
  public @Nullable Block poll() {
    return round.poll();
  }

  // ----------------------------------------------------------------------- rounds behind the first

  private void beginRound() throws InterruptedException {
    room.endReservation();
    List<SetAsideMap> maps = reserve();
    read.doubted().or(round.doubted());
    Map<Integer, BitSet> blocks = new HashMap<>();
    Map<Integer, BitSet> starts = new HashMap<>();
    for (SetAsideMap map : maps) {
      blocks.put(map.mapIndex(), map.sequences());
      starts.put(map.mapIndex(), map.chainStarts());
    }
    FetchingBlockReader next =
        round(
            scope.only(maps.get(0).partition(), expected(maps), blocks),
            (map, sequence) -> starts.getOrDefault(map, new BitSet()).previousSetBit(sequence));
    bytesBefore += round.bytesRead();
    waitNanosBefore += round.waitNanos();
    // Not before there is a round for them: without one, what is set aside is still to be read.
    setAside.remove(maps);
    round = next;
    round.start();
  }

  /** As many maps as there is room for now; room for one record at least is waited for. */
  private List<SetAsideMap> reserve() throws InterruptedException {
    long share = room.share();
    List<SetAsideMap> maps = setAside.next(share, scope.expected());
    long bytes = maps.stream().mapToLong(SetAsideMap::bytes).sum();
    SetAsideMap first = maps.get(0);
    long least = first.longest();
    if (room.reserveShared(Math.max(least, Math.min(bytes, share)))) {
      return maps;
    }
    long maxBytes = read.client().longRecords().maxBytes();
    if (least > maxBytes) {
      throw new SluiceException(
          ErrorCode.BLOCK_TOO_LARGE,
          "a record of map "
              + first.mapIndex()
              + " in partition "
              + first.partition()
              + " is stored in "
              + least
              + " bytes, and readers may hold "
              + maxBytes
              + " together of records that are longer than a block");
    }
    if (!room.reserve(least)) {
      waitFor(least);
    }
    return List.of(first);
  }

  private void waitFor(long bytes) throws InterruptedException {
    Clock clock = read.client().clock();
    long start = clock.nanoTime();
    try {
      new RoomWait(room, read).reserve(bytes);
    } finally {
      waitNanosBefore += clock.nanoTime() - start;
    }
  }

  private ExpectedMaps expected(List<SetAsideMap> maps) {
    ExpectedMaps all = scope.expected();
    int partition = maps.get(0).partition();
    ArrayExpectedMaps.Builder some = ArrayExpectedMaps.builder(partition, partition + 1);
    some.epochs(all.firstEpoch(), all.lastEpoch());
    for (SetAsideMap map : maps) {
      long attempt = all.attemptId(all.positionOf(map.mapIndex()));
      some.nonEmpty(some.add(map.mapIndex(), attempt), partition);
    }
    return some.build();
  }

  // ---------------------------------------------------------------------------------- the rest

  @Override
  public long bytesRead() {
    return bytesBefore + round.bytesRead();
  }

  @Override
  public long waitNanos() {
    return waitNanosBefore + round.waitNanos();
  }

  @Override
  public void close() {
    closed = true;
    round.close();
    setAside.clear();
    room.close();
  }
}
