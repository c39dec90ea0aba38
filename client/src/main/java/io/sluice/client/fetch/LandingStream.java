package io.sluice.client.fetch;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.sluice.client.connection.FetchStream;
import io.sluice.client.connection.StreamSink;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One stream: lands its bytes, hands over whole blocks, keeps its credit. On the event loop, but
 * for {@link #consumed} and what follows it.
 *
 * <p>Credit. The stream has a share; what the server may still send ({@code allowance}), what was
 * handed over and not consumed ({@code unconsumed}), what was consumed and not given back ({@code
 * returnable}) and the blocks under way add up to it. A block larger than that, which could never
 * become whole, gets what it lacks on top ({@code extra}); it is taken back when the block has been
 * consumed.
 *
 * <p>The task counts what it consumes in {@code consumed}, and the loop looks there at the end of
 * each read. It gives credit back when less than half of the share is left with the server, so that
 * a reader that keeps up costs one frame for half a share, in a write that the read makes anyway.
 * Only if the server may come to a stop, because its allowance is low and no read will follow, the
 * task wakes the loop. Neither can miss the other: the loop writes {@code allowance} and then reads
 * {@code consumed}, the task writes {@code consumed} and then reads {@code allowance}, all of them
 * volatile. Half a share is at least one full piece, so a server whose allowance is not low can go
 * on; and when the task waits, all that was handed over has been consumed, so every stream either
 * can go on or is given credit.
 */
final class LandingStream implements StreamSink {
  // Pieces of several partitions may come interleaved, each partition with a block under way; a
  // sane server interleaves few.
  private static final int MAX_INTERLEAVED = 64;

  private final ServerFetch fetch;
  private final ArrivalQueue arrivals;
  private final ByteBufAllocator allocator;
  private final Clock clock;
  private final long share;

  private @Nullable FetchStream stream;
  private Landing landing;
  private int partition = -1;
  private final IntObjectMap<Landing> parked = new IntObjectHashMap<>(4);
  private long blocksBefore;
  private long unconsumed;
  private long returnable;
  private long extra;
  private long seen;
  private boolean over;
  private boolean troubleTold;

  // Written on the event loop only: what the server may send, and when that or what it sent
  // changed.
  private volatile long allowance;
  private volatile long lastMove;

  // Written by the task's thread only: bytes since the beginning.
  private volatile long consumed;

  // The task's thread's: of `consumed`, what the loop was woken for.
  private long announced;

  // Likewise: whether the server was told of damage.
  private boolean damageTold;

  LandingStream(ServerFetch fetch, ArrivalQueue arrivals, FetchContext context, long share) {
    this.fetch = fetch;
    this.arrivals = arrivals;
    this.allocator = context.allocator();
    this.clock = context.clock();
    this.share = share;
    this.allowance = share;
    this.lastMove = clock.nanoTime();
    this.landing = new Landing(allocator, this);
  }

  @Override
  public void began(FetchStream newStream) {
    stream = newStream;
  }

  @Override
  public void requested() {
    lastMove = clock.nanoTime();
  }

  @Override
  public void troubled() {
    if (!troubleTold) {
      troubleTold = true;
      arrivals.offer(new Trouble(fetch));
    }
  }

  @Override
  public void data(int newPartition, ByteBuffer bytes, int offset, int length) {
    long left = allowance - length;
    allowance = left;
    if (left < 0) {
      throw new SluiceException(
          ErrorCode.CREDIT_EXCEEDED, "server " + fetch.server() + " sent more than it may");
    }
    if (newPartition != partition) {
      switchTo(newPartition);
    }
    unconsumed += landing.append(newPartition, bytes, offset, length, arrivals::offer);
  }

  /** Sets a block that is not whole aside, and takes up the new partition's again. */
  private void switchTo(int newPartition) {
    if (landing.hasPartial()) {
      handOver();
      if (parked.size() >= MAX_INTERLEAVED) {
        throw new SluiceException(
            ErrorCode.MALFORMED_FRAME,
            "server " + fetch.server() + " interleaves more than " + MAX_INTERLEAVED);
      }
      parked.put(partition, landing);
      Landing resumed = parked.remove(newPartition);
      landing = resumed != null ? resumed : new Landing(allocator, this);
    } else if (!parked.isEmpty()) {
      Landing resumed = parked.remove(newPartition);
      if (resumed != null) {
        handOver();
        retire(landing);
        landing = resumed;
      }
    }
    partition = newPartition;
  }

  private void handOver() {
    LandedBlocks landed = landing.handOver();
    if (landed != null) {
      arrivals.offer(landed);
    }
  }

  private void retire(Landing old) {
    blocksBefore += old.blocks();
    old.release();
  }

  @Override
  public void readComplete() {
    lastMove = clock.nanoTime();
    handOver();
    settle();
  }

  @Override
  public void ended(long blocks) {
    handOver();
    boolean partial = landing.hasPartial() || !parked.isEmpty();
    if (partial) {
      tellOfPartials();
    }
    release();
    if (partial || blocksBefore != blocks) {
      // Damage of a header's length, which swallows what comes behind it.
      finish(
          new SluiceException(
              ErrorCode.CORRUPT_BLOCK,
              String.format(
                  Locale.ROOT,
                  "server %s ended a stream at %d whole blocks and says %d",
                  fetch.server(),
                  blocksBefore,
                  blocks)));
    } else {
      finish(null);
    }
  }

  /** Blocks that never end: nobody will see that their CRCs are wrong. */
  private void tellOfPartials() {
    if (landing.hasPartial()) {
      tellOfPartial(partition);
    }
    parked.keySet().forEach(this::tellOfPartial);
  }

  private void tellOfPartial(int broken) {
    FetchStream current = stream;
    if (current != null) {
      current.damaged(broken);
    }
    arrivals.offer(new Damage(fetch, broken));
  }

  @Override
  public void failed(SluiceException cause) {
    handOver();
    if (cause.code().blame() == Blame.CORRUPTION) {
      arrivals.offer(new Damage(fetch, partition));
    }
    release();
    finish(cause);
  }

  @Override
  public void givenUp(SluiceException cause) {
    handOver();
    release();
    last(StreamOver.forGood(fetch, cause));
  }

  private void finish(@Nullable SluiceException cause) {
    last(new StreamOver(fetch, cause));
  }

  private void last(StreamOver last) {
    over = true;
    lastMove = clock.nanoTime();
    arrivals.offer(last);
  }

  private void release() {
    retire(landing);
    for (Landing partial : parked.values()) {
      retire(partial);
    }
    parked.clear();
  }

  // ------------------------------------------------------------------------------------ credit

  /** Takes note of what was consumed, and gives credit if the server runs low. */
  private void settle() {
    if (over) {
      return;
    }
    long now = consumed;
    unconsumed -= now - seen;
    returnable += now - seen;
    seen = now;
    if (isLow(allowance) && returnable > 0) {
      long takenBack = Math.min(extra, returnable);
      extra -= takenBack;
      give(returnable - takenBack);
      returnable = 0;
    }
    extendIfStuck();
  }

  private boolean isLow(long left) {
    return left < share / 2;
  }

  /** Nothing left that the task could consume, and too little to make the block under way whole. */
  private void extendIfStuck() {
    if (unconsumed > 0 || allowance >= TransportLimits.MAX_DATA_BYTES) {
      return;
    }
    long needed = landing.partialNeeds();
    for (Landing partial : parked.values()) {
      needed += partial.partialNeeds();
    }
    if (needed > allowance) {
      // One more piece on top, in case the server sends nothing but full pieces.
      long lacking = needed - allowance + TransportLimits.MAX_DATA_BYTES;
      extra += lacking;
      give(lacking);
    }
  }

  private void give(long bytes) {
    FetchStream current = stream;
    if (bytes > 0 && current != null) {
      long left = allowance + bytes;
      allowance = left;
      lastMove = clock.nanoTime();
      current.credit(bytes);
    }
  }

  /** When the server last sent something, or was last asked or allowed to. Any thread. */
  long lastMove() {
    return lastMove;
  }

  // -------------------------------------------------------------------------- the task's thread

  ServerFetch fetch() {
    return fetch;
  }

  /** Blocks were consumed. */
  void consumed(int bytes) {
    long total = consumed + bytes;
    consumed = total;
    if (total - announced >= share / 4) {
      announce();
    }
  }

  /** A block that landed is damaged: the server may want to know. Once for each stream. */
  void damaged(DamagedBlock block) {
    if (damageTold) {
      return;
    }
    damageTold = true;
    fetch
        .connection()
        .execute(
            () -> {
              FetchStream current = stream;
              if (current != null) {
                current.damaged(block);
              }
            });
  }

  /** The task will wait: a server that may have come to a stop must not, too. */
  void beforeWait() {
    if (consumed > announced) {
      announce();
    }
  }

  /** Wakes the loop, unless the server has enough to go on until the next read looks by itself. */
  private void announce() {
    if (isLow(allowance)) {
      announced = consumed;
      fetch.connection().execute(this::settleNow);
    }
  }

  private void settleNow() {
    settle();
    FetchStream current = stream;
    if (current != null) {
      current.flush();
    }
  }

  /** Stops it and frees its buffers. */
  void cancel(FetchStream current) {
    current.cancel();
    fetch
        .connection()
        .execute(
            () -> {
              if (!over) {
                over = true;
                release();
              }
            });
  }
}
