package io.sluice.transport;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Remembers what a server says. Fields are guarded by this; {@link #await} waits on them. */
public class RecordingClient implements ClientSession {
  public final CompletableFuture<ClientLink> link = new CompletableFuture<>();
  public final Map<Integer, ByteArrayOutputStream> partitions = new TreeMap<>();
  public final List<String> events = new ArrayList<>();
  public final Map<Integer, Long> ended = new TreeMap<>();
  public final Map<Integer, ErrorCode> failed = new TreeMap<>();
  public long acked;
  public long refunded;
  public long granted;
  public long seed;
  public long dataBytes;
  public int maxBlockBytes;
  public boolean goingAway;
  public @Nullable ErrorCode nackCode;
  public @Nullable ErrorCode wantRefused;
  public @Nullable SluiceException cause;
  public @Nullable ServerIdentity server;

  /** Gives a stream as much new credit as it used. */
  public boolean refill;

  private @Nullable ClientLink own;

  @Override
  public synchronized void connected(
      ClientLink connectedLink, ServerIdentity identity, long seedCredit, int maxBlock) {
    own = connectedLink;
    server = identity;
    seed = seedCredit;
    maxBlockBytes = maxBlock;
    link.complete(connectedLink);
    changed("connected");
  }

  @Override
  public synchronized void acked(long first, int count, long refund) {
    acked += count;
    refunded += refund;
    changed("acked " + first + "+" + count);
  }

  @Override
  public synchronized void nacked(long first, int count, long refund, ErrorCode code) {
    nackCode = code;
    refunded += refund;
    changed("nacked " + first + "+" + count + " " + code);
  }

  @Override
  public synchronized void granted(long bytes) {
    granted += bytes;
    changed("granted " + bytes);
  }

  @Override
  public synchronized void wantRefused(ErrorCode code) {
    wantRefused = code;
    changed("wantRefused " + code);
  }

  @Override
  public synchronized void reclaimed(long bytes) {
    changed("reclaimed " + bytes);
  }

  @Override
  public synchronized void data(
      int stream, int partition, ByteBuffer bytes, int offset, int length) {
    byte[] copy = new byte[length];
    ByteBuffer view = bytes.duplicate();
    view.position(offset);
    view.get(copy);
    partitions.computeIfAbsent(partition, p -> new ByteArrayOutputStream()).writeBytes(copy);
    dataBytes += length;
    if (refill && own != null) {
      own.fetchCredit(stream, length);
    }
    notifyAll();
  }

  @Override
  public synchronized void streamEnded(int stream, long blocks, long bytes) {
    ended.put(stream, bytes);
    changed("streamEnded " + stream + " " + blocks + " " + bytes);
  }

  @Override
  public synchronized void streamFailed(int stream, ErrorCode code, String message) {
    failed.put(stream, code);
    changed("streamFailed " + stream + " " + code + " " + message);
  }

  @Override
  public synchronized void goingAway() {
    goingAway = true;
    changed("goingAway");
  }

  @Override
  public synchronized void writable() {
    changed("writable");
  }

  @Override
  public synchronized void readComplete() {
    notifyAll();
  }

  @Override
  public synchronized void closed(SluiceException closedBy) {
    if (cause != null) {
      throw new AssertionError("closed twice", closedBy);
    }
    cause = closedBy;
    link.completeExceptionally(closedBy);
    changed("closed " + closedBy.code());
  }

  private void changed(String event) {
    events.add(event);
    notifyAll();
  }

  /** What has come of a partition. */
  public synchronized byte[] bytes(int partition) {
    ByteArrayOutputStream bytes = partitions.get(partition);
    return bytes == null ? new byte[0] : bytes.toByteArray();
  }

  /** Waits until something holds, at most 20 s. */
  public synchronized void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      long left = deadline - Clock.system().nanoTime();
      if (left <= 0) {
        throw new AssertionError("not in time; seen " + events + ", cause " + cause);
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  public ErrorCode awaitClosed() throws InterruptedException {
    await(() -> cause != null);
    if (cause == null) {
      throw new AssertionError();
    }
    return cause.code();
  }
}
