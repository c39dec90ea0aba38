package io.sluice.client.fetch;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.sluice.client.connection.FetchStream;
import io.sluice.client.connection.StreamSink;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One stream: lands its bytes, hands over whole blocks, keeps its credit. On the event loop, but
 * for {@link #consumed} and what follows it.
 *
 * <p>Credit. The stream has a share; what the server may still send ({@code allowance}), what was
 * handed over and not consumed ({@code unconsumed}) and the blocks under way add up to it. A block
 * larger than that, which could never become whole, gets what it lacks on top ({@code extra}); it
 * is taken back when the block has been consumed.
 */
final class LandingStream implements StreamSink {
  // Pieces of several partitions may come interleaved, each partition with a block under way; a
  // sane server interleaves few.
  private static final int MAX_INTERLEAVED = 64;

  private final ServerFetch fetch;
  private final ArrivalQueue arrivals;
  private final ByteBufAllocator allocator;
  private final long share;

  private @Nullable FetchStream stream;
  private Landing landing;
  private int partition = -1;
  private final IntObjectMap<Landing> parked = new IntObjectHashMap<>(4);
  private long blocksBefore;
  private long allowance;
  private long unconsumed;
  private long extra;
  private boolean over;

  // The task's thread's.
  private long toReturn;

  LandingStream(ServerFetch fetch, ArrivalQueue arrivals, ByteBufAllocator allocator, long share) {
    this.fetch = fetch;
    this.arrivals = arrivals;
    this.allocator = allocator;
    this.share = share;
    this.allowance = share;
    this.landing = new Landing(allocator, this);
  }

  @Override
  public void began(FetchStream newStream) {
    stream = newStream;
  }

  @Override
  public void data(int newPartition, ByteBuffer bytes, int offset, int length) {
    allowance -= length;
    if (allowance < 0) {
      throw new SluiceException(
          ErrorCode.CREDIT_EXCEEDED, "server " + fetch.server() + " sent more than it may");
    }
    if (newPartition != partition) {
      switchTo(newPartition);
    }
    unconsumed += landing.append(newPartition, bytes, offset, length, arrivals::offer);
    extendIfStuck();
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
    handOver();
  }

  @Override
  public void ended(long blocks) {
    handOver();
    boolean partial = landing.hasPartial() || !parked.isEmpty();
    release();
    if (partial || blocksBefore != blocks) {
      finish(
          new SluiceException(
              ErrorCode.MALFORMED_FRAME,
              String.format(
                  "server %s ended a stream at %d whole blocks and says %d",
                  fetch.server(), blocksBefore, blocks)));
    } else {
      finish(null);
    }
  }

  @Override
  public void failed(SluiceException cause) {
    handOver();
    release();
    finish(cause);
  }

  private void finish(@Nullable SluiceException cause) {
    over = true;
    arrivals.offer(new StreamOver(fetch, cause));
  }

  private void release() {
    retire(landing);
    for (Landing partial : parked.values()) {
      retire(partial);
    }
    parked.clear();
  }

  // ------------------------------------------------------------------------------------ credit

  private void creditReturned(long bytes) {
    unconsumed -= bytes;
    if (over) {
      return;
    }
    long takenBack = Math.min(extra, bytes);
    extra -= takenBack;
    give(bytes - takenBack);
    extendIfStuck();
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
      allowance += bytes;
      current.credit(bytes);
    }
  }

  // -------------------------------------------------------------------------- the task's thread

  ServerFetch fetch() {
    return fetch;
  }

  /** Blocks were consumed; their credit goes back once it is worth a frame. */
  void consumed(int bytes) {
    toReturn += bytes;
    if (toReturn >= share / 4) {
      returnCredit();
    }
  }

  /** Gives all consumed credit back: before the task waits. */
  void returnCredit() {
    if (toReturn > 0) {
      long bytes = toReturn;
      toReturn = 0;
      fetch.connection().execute(() -> creditReturned(bytes));
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
