package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSession;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.Executor;

/**
 * A connection that pushes the same block over and over, asks for credit and gives it back as
 * clients do, and measures how long each block takes from when it was due to its acknowledgement.
 * Its network takes a frame each millisecond.
 */
final class ModelledWriter implements ServerLink {
  private static final long TICK = 1_000_000;
  private static final long QUANTUM = 256 << 10;
  private static final int BLOCKS_PER_TICK = 2;

  final List<ErrorCode> failures = new ArrayList<>();
  final List<Long> latencies = new ArrayList<>();
  long acceptedBytes;

  private final World world;
  private final Executor executor;
  private final ServerSession session;
  private final ByteBuffer block;
  private final long charge;
  private final long seed;
  private final Queue<Long> due = new ArrayDeque<>();
  private final Queue<Long> sent = new ArrayDeque<>();
  private boolean greedy;
  private boolean ticking;
  private boolean wants;
  private boolean closed;
  private long credit;
  private long number;

  ModelledWriter(World world, ServerSessionFactory server, ShuffleKey shuffle, TestBlock block) {
    this.world = world;
    this.executor = world.executor();
    this.block = block.bytes();
    this.charge = TransportLimits.charge(block.stored());
    ServerSessionFactory.Accepted accepted =
        server.accept(new PeerInfo(new UUID(1, shuffle.hashCode()), 1, "model"), this);
    session = accepted.session();
    credit = accepted.seedCredit();
    seed = credit;
    session.open(0, shuffle, 5, List.of());
  }

  /** Pushes as much as it may from here on. */
  void pushWithoutEnd() {
    greedy = true;
    tick();
  }

  /** Pushes one block. */
  void pushOne() {
    due.add(world.nanoTime());
    tick();
  }

  void close() {
    closed = true;
    session.closed();
  }

  long credit() {
    return credit;
  }

  private void tick() {
    if (!ticking) {
      ticking = true;
      world.schedule(
          TICK,
          () ->
              executor.execute(
                  () -> {
                    ticking = false;
                    pump();
                  }));
    }
  }

  private void pump() {
    if (closed) {
      return;
    }
    for (int i = 0; i < BLOCKS_PER_TICK && (greedy || !due.isEmpty()); i++) {
      if (credit < charge) {
        break;
      }
      credit -= charge;
      sent.add(greedy ? world.nanoTime() : due.remove());
      session.block(0, number++, block, 0, true);
    }
    session.readComplete();
    boolean more = greedy || !due.isEmpty();
    if (more && credit >= charge) {
      tick();
    } else if (more && !wants) {
      wants = true;
      session.want(QUANTUM);
    }
  }

  @Override
  public void ack(long first, int count, long refund) {
    credit += refund;
    acceptedBytes += count * charge;
    for (int i = 0; i < count; i++) {
      latencies.add(world.nanoTime() - sent.remove());
    }
  }

  @Override
  public void nack(long first, int count, long refund, ErrorCode code) {
    failures.add(code);
    credit += refund;
  }

  @Override
  public void grant(long bytes) {
    wants = false;
    credit += bytes;
    tick();
  }

  @Override
  public void refuseWant(ErrorCode code) {
    wants = false;
    failures.add(code);
    tick();
  }

  @Override
  public void reclaim(long bytes) {
    boolean sendable = (greedy || !due.isEmpty()) && credit >= charge;
    long spare = Math.min(bytes, credit - Math.max(seed, sendable ? credit : 0));
    if (spare > 0) {
      credit -= spare;
      session.creditReturned(spare);
    }
  }

  @Override
  public Executor executor() {
    return executor;
  }

  @Override
  public String peer() {
    return "model";
  }

  @Override
  public void explain(ErrorCode code, String why) {}

  @Override
  public void data(int stream, int partition, OutgoingData data) {
    throw new AssertionError("nothing was fetched");
  }

  @Override
  public void streamEnd(int stream, long blocks, long bytes) {
    throw new AssertionError("nothing was fetched");
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    throw new AssertionError("nothing was fetched");
  }

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public void flush() {}

  @Override
  public void close(ErrorCode code, String message) {
    failures.add(code);
  }

  @Override
  public void replicasFailed(List<FailedReplica> failed) {
    throw new AssertionError("there are no replicas");
  }
}
