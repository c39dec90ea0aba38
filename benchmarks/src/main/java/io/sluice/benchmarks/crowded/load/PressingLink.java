package io.sluice.benchmarks.crowded.load;

import io.sluice.benchmarks.wire.load.FrameRing;
import io.sluice.benchmarks.wire.load.Latencies;
import io.sluice.benchmarks.wire.load.PushTimes;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One connection and the writers that share it, each of which has one frame on its way at a time.
 * Asks for credit and gives it back as a client does. On its event loop, unless stated.
 */
public final class PressingLink implements ClientSession {
  private static final long QUANTUM = 1L << 20;

  private final CompletableFuture<Void> opened = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final List<CompletableFuture<Void>> waiters = new ArrayList<>();
  private final AtomicLong acceptedBytes = new AtomicLong();
  private final Clock clock = Clock.system();
  private final FrameRing ring;
  private final ShuffleKey shuffle;
  private final Totals totals;
  private final int writers;
  private final PushTimes times;
  private volatile @Nullable ClientLink link;
  private long seed;
  private long credit;
  private boolean wants;
  private long framesLeft;
  private long framesOnTheirWay;
  private int nextFrame;

  /**
   * What links of one event loop have in common.
   *
   * @param latencies from handing a frame over to the answer to its last block
   * @param failures refused blocks and WANTs
   */
  public record Totals(Latencies latencies, AtomicLong failures) {
    public Totals() {
      this(new Latencies(), new AtomicLong());
    }
  }

  /**
   * @param ring lives longer
   * @param firstFrame where in the ring it begins
   * @param writers that share the connection
   */
  public PressingLink(
      FrameRing ring, int firstFrame, ShuffleKey shuffle, int writers, Totals totals) {
    this.ring = ring;
    this.nextFrame = firstFrame % ring.size();
    this.shuffle = shuffle;
    this.writers = writers;
    this.totals = totals;
    this.times = new PushTimes(ring.blocksPerFrame(), writers);
  }

  /** Completes when the connection is there and its shuffle open. Any thread. */
  public CompletableFuture<Void> opened() {
    return opened;
  }

  /** Bytes of blocks that were acknowledged, headers included. Any thread. */
  public long acceptedBytes() {
    return acceptedBytes.get();
  }

  /** Pushes so many frames more. Any thread. */
  public void push(long frames) {
    link()
        .executor()
        .execute(
            () -> {
              framesLeft += frames;
              send();
              link().flush();
            });
  }

  /** Completes when all that was to be pushed by now is answered. Any thread. */
  public CompletableFuture<Void> settled() {
    CompletableFuture<Void> settled = new CompletableFuture<>();
    link()
        .executor()
        .execute(
            () -> {
              waiters.add(settled);
              settle();
            });
    return settled;
  }

  private void settle() {
    if (framesLeft == 0 && framesOnTheirWay == 0) {
      waiters.forEach(waiter -> waiter.complete(null));
      waiters.clear();
    }
  }

  /** Ends the connection, if there is one. Any thread. */
  public void close() {
    ClientLink connected = link;
    if (connected != null) {
      connected.close();
    }
  }

  /** Completes when the connection is gone, or never came to be. Any thread. */
  public CompletableFuture<Void> ended() {
    return ended;
  }

  private ClientLink link() {
    ClientLink connected = link;
    if (connected == null) {
      throw new IllegalStateException("not connected");
    }
    return connected;
  }

  private void send() {
    ClientLink to = link();
    long cost = ring.charge();
    while (framesLeft > 0 && framesOnTheirWay < writers && to.isWritable()) {
      if (credit < cost) {
        if (!wants) {
          wants = true;
          long usable = Math.min(framesLeft, writers - framesOnTheirWay) * cost;
          to.want(Math.max(QUANTUM, usable - credit));
        }
        return;
      }
      credit -= cost;
      framesLeft--;
      framesOnTheirWay++;
      times.sent(clock.nanoTime());
      to.push(0, ring.blocksPerFrame(), ring.frame(nextFrame));
      nextFrame = nextFrame + 1 == ring.size() ? 0 : nextFrame + 1;
    }
  }

  @Override
  public void connected(
      ClientLink connected, ServerIdentity server, long seedCredit, int maxBlockBytes) {
    link = connected;
    seed = seedCredit;
    credit = seedCredit;
    connected.open(0, shuffle, server.incarnation());
    connected.flush();
    opened.complete(null);
  }

  @Override
  public void acked(long first, int count, long refund) {
    credit += refund;
    acceptedBytes.addAndGet((long) count * (ring.frameBytes() / ring.blocksPerFrame()));
    answered(first, count);
  }

  private void answered(long first, int count) {
    framesOnTheirWay -= times.answered(first, count, clock.nanoTime(), totals.latencies);
    settle();
  }

  @Override
  public void nacked(long first, int count, long refund, ErrorCode code) {
    credit += refund;
    totals.failures.incrementAndGet();
    answered(first, count);
  }

  @Override
  public void granted(long bytes) {
    wants = false;
    credit += bytes;
  }

  @Override
  public void wantRefused(ErrorCode code) {
    wants = false;
    totals.failures.incrementAndGet();
  }

  @Override
  public void reclaimed(long bytes) {
    boolean sendable = framesLeft > 0 && credit >= ring.charge();
    long spare = sendable ? 0 : Math.min(bytes, credit - seed);
    if (spare > 0) {
      credit -= spare;
      link().returnCredit(spare);
    }
  }

  @Override
  public void writable() {
    send();
    link().flush();
  }

  @Override
  public void readComplete() {
    send();
  }

  @Override
  public void data(int stream, int partition, ByteBuffer bytes, int offset, int length) {
    throw new IllegalStateException("nothing was fetched");
  }

  @Override
  public void streamEnded(int stream, long blocks, long bytes) {
    throw new IllegalStateException("nothing was fetched");
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    throw new IllegalStateException("nothing was fetched");
  }

  @Override
  public void closed(SluiceException cause) {
    opened.completeExceptionally(cause);
    waiters.forEach(waiter -> waiter.completeExceptionally(cause));
    ended.complete(null);
  }
}
