package io.sluice.benchmarks.wire.load;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One connection: pushes as fast as its credit allows, or fetches its share of the partitions one
 * after the other, two requests ahead. Everything but the constructor and the three methods that
 * begin something is its event loop's.
 */
final class WireLink implements ClientSession {
  /** Credit a link holds, and what servers may have under way to it: as a client's defaults. */
  static final long WINDOW = 4L << 20;

  private static final int REQUESTS_AHEAD = 2;
  private static final int LANDING_BYTES = 1 << 20;

  private final CompletableFuture<Void> opened = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final ByteBuffer landing = ByteBuffer.allocateDirect(LANDING_BYTES);
  private final Clock clock = Clock.system();
  private final FrameRing ring;
  private final Range partitions;
  private final int shuffle;
  private final PushTimes times;
  // 16 KiB: made once, or it would be most of the garbage that is measured.
  private final Latencies latencies = new Latencies();
  private CompletableFuture<Long> done = new CompletableFuture<>();
  private volatile @Nullable ClientLink link;
  private long credit;
  private boolean wants;
  private long framesLeft;
  private int nextFrame;
  private int nextStream;
  private int nextPartition;
  private int streamsOpen;
  private long fetched;
  private final long[] askedAt = new long[REQUESTS_AHEAD];
  private final long[] toRefill = new long[REQUESTS_AHEAD];

  /** Partitions that a link fetches. */
  record Range(int first, int end) {}

  /**
   * @param firstFrame where in the ring it begins
   */
  WireLink(FrameRing ring, int firstFrame, Range partitions, int shuffle) {
    this.ring = ring;
    this.nextFrame = firstFrame;
    this.shuffle = shuffle;
    this.partitions = partitions;
    this.times = new PushTimes(ring.blocksPerFrame());
  }

  /** Completes when the connection is there and its shuffle open. */
  CompletableFuture<Void> opened() {
    return opened;
  }

  /** Pushes so many frames; completes, with their bytes, when all are answered. Any thread. */
  CompletableFuture<Long> push(long frames) {
    return begin(
        () -> {
          framesLeft = frames;
          times.begin(frames);
          send();
          link().flush();
        });
  }

  /** Fetches its partitions; completes, with their bytes, when all are there. Any thread. */
  CompletableFuture<Long> fetch() {
    return begin(
        () -> {
          fetched = 0;
          nextPartition = partitions.first;
          ask();
          link().flush();
        });
  }

  private CompletableFuture<Long> begin(Runnable what) {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    link()
        .executor()
        .execute(
            () -> {
              done = answer;
              latencies.clear();
              what.run();
            });
    return answer;
  }

  /** Of what was done last; to be read when that is complete. */
  Latencies latencies() {
    return latencies;
  }

  /** Ends the connection, if there is one. Any thread. */
  void close() {
    ClientLink connected = link;
    if (connected != null) {
      connected.close();
    }
  }

  /** Completes when the connection is gone, or never came to be. */
  CompletableFuture<Void> ended() {
    return ended;
  }

  private ClientLink link() {
    ClientLink connected = link;
    if (connected == null) {
      throw new IllegalStateException("not connected");
    }
    return connected;
  }

  // -------------------------------------------------------------------------------------- push

  private void send() {
    ClientLink to = link();
    while (framesLeft > 0 && to.isWritable()) {
      long cost = ring.charge();
      if (credit < cost) {
        if (!wants) {
          wants = true;
          to.want(Math.max(cost, WINDOW - credit));
        }
        return;
      }
      credit -= cost;
      framesLeft--;
      times.sent(clock.nanoTime());
      to.push(0, ring.blocksPerFrame(), ring.frame(nextFrame));
      nextFrame = nextFrame + 1 == ring.size() ? 0 : nextFrame + 1;
    }
  }

  @Override
  public void connected(
      ClientLink connected, ServerIdentity server, long seedCredit, int maxBlockBytes) {
    link = connected;
    credit = seedCredit;
    connected.open(0, WireShuffle.number(shuffle), server.incarnation());
    connected.flush();
    opened.complete(null);
  }

  @Override
  public void acked(long first, int count, long refund) {
    credit += refund;
    times.answered(first, count, clock.nanoTime(), latencies);
    if (times.isComplete()) {
      done.complete(times.frames() * ring.frameBytes());
    }
  }

  @Override
  public void granted(long bytes) {
    wants = false;
    credit += bytes;
  }

  @Override
  public void reclaimed(long bytes) {
    long spare = framesLeft > 0 ? 0 : Math.min(bytes, credit);
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
    refill();
  }

  // ------------------------------------------------------------------------------------- fetch

  private void ask() {
    while (streamsOpen < REQUESTS_AHEAD && nextPartition < partitions.end) {
      int stream = nextStream++;
      int partition = nextPartition++;
      streamsOpen++;
      askedAt[stream % REQUESTS_AHEAD] = clock.nanoTime();
      toRefill[stream % REQUESTS_AHEAD] = 0;
      link()
          .fetch(
              new FetchRequest(stream, 0, partition, partition + 1, 0, Integer.MAX_VALUE, WINDOW));
    }
  }

  @Override
  public void data(int stream, int partition, ByteBuffer bytes, int offset, int length) {
    // A reader copies what arrives once, into a buffer of its own.
    for (int copied = 0; copied < length; ) {
      int part = Math.min(length - copied, LANDING_BYTES);
      landing.put(0, bytes, offset + copied, part);
      copied += part;
    }
    toRefill[stream % REQUESTS_AHEAD] += length;
  }

  private void refill() {
    for (int i = 0; i < REQUESTS_AHEAD; i++) {
      if (toRefill[i] >= WINDOW / 4) {
        link().fetchCredit(newestStream(i), toRefill[i]);
        toRefill[i] = 0;
      }
    }
  }

  /** The stream that uses a slot now. */
  private int newestStream(int slot) {
    int newest = nextStream - 1;
    return newest - Math.floorMod(newest - slot, REQUESTS_AHEAD);
  }

  @Override
  public void streamEnded(int stream, long blocks, long bytes) {
    int slot = stream % REQUESTS_AHEAD;
    latencies.add(clock.nanoTime() - askedAt[slot]);
    toRefill[slot] = 0;
    fetched += bytes;
    streamsOpen--;
    // Strictly in turn, so that a slot is free when its next stream needs it.
    if (streamsOpen == 0 || stream == nextStream - REQUESTS_AHEAD) {
      ask();
    }
    if (streamsOpen == 0) {
      done.complete(fetched);
    }
  }

  // ----------------------------------------------------------------------------------- failure

  @Override
  public void nacked(long first, int count, long refund, ErrorCode code) {
    fail(new SluiceException(code, "the server refused blocks"));
  }

  @Override
  public void wantRefused(ErrorCode code) {
    fail(new SluiceException(code, "the server has no memory: take less --data"));
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    fail(new SluiceException(code, message));
  }

  @Override
  public void closed(SluiceException cause) {
    fail(cause);
    ended.complete(null);
  }

  private void fail(SluiceException cause) {
    opened.completeExceptionally(cause);
    done.completeExceptionally(cause);
  }
}
