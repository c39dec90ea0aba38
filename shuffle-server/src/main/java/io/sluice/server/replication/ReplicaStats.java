package io.sluice.server.replication;

import io.sluice.common.error.ErrorCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What was sent to other servers since start, in blocks, bytes and batches. Thread-safe. */
public final class ReplicaStats {
  private final LongAdder sentBlocks = new LongAdder();
  private final LongAdder sentBytes = new LongAdder();
  private final LongAdder pendingBytes = new LongAdder();
  private final AtomicLong keptBytes = new AtomicLong();
  private final Map<ErrorCode, LongAdder> failures = new EnumMap<>(ErrorCode.class);

  public ReplicaStats() {
    for (ErrorCode code : ErrorCode.values()) {
      failures.put(code, new LongAdder());
    }
  }

  void sent(long blocks, long bytes) {
    sentBlocks.add(blocks);
    sentBytes.add(bytes);
  }

  /** Blocks wait for a member, or do no more. */
  void pending(long bytes) {
    pendingBytes.add(bytes);
  }

  /** Blocks wait for a member although their client knows what became of them, or do no more. */
  void kept(long bytes) {
    keptBytes.addAndGet(bytes);
  }

  /** A member did not take a batch. */
  void failed(ErrorCode why) {
    Objects.requireNonNull(failures.get(why)).increment();
  }

  public long sentBlocks() {
    return sentBlocks.sum();
  }

  public long sentBytes() {
    return sentBytes.sum();
  }

  /** Bytes of blocks that are stored here and wait for other members, once for each of them. */
  public long pendingBytes() {
    return pendingBytes.sum();
  }

  /** The part of {@link #pendingBytes} whose clients know already what became of it. */
  public long keptBytes() {
    return keptBytes.get();
  }

  public long failures(ErrorCode why) {
    return Objects.requireNonNull(failures.get(why)).sum();
  }
}
