package io.sluice.server.metrics;

import io.sluice.common.error.ErrorCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counters since start, in blocks, bytes, nanoseconds and events. Thread-safe. */
public final class ServerStats {
  private final LongAdder connections = new LongAdder();
  private final LongAdder pushedBlocks = new LongAdder();
  private final LongAdder pushedBytes = new LongAdder();
  private final LongAdder replicaBlocks = new LongAdder();
  private final LongAdder replicaBytes = new LongAdder();
  private final Map<ErrorCode, LongAdder> nacks = new EnumMap<>(ErrorCode.class);
  private final LongAdder fetches = new LongAdder();
  private final Map<ErrorCode, LongAdder> failedFetches = new EnumMap<>(ErrorCode.class);
  private final LongAdder damageReports = new LongAdder();
  private final LongAdder cutExtents = new LongAdder();
  private final LongAdder fetchedBlocks = new LongAdder();
  private final LongAdder fetchedBytes = new LongAdder();
  private final LongAdder readBytes = new LongAdder();
  private final LongAdder refusedWants = new LongAdder();
  private final LongAdder flushedUnits = new LongAdder();
  private final LongAdder flushedBytes = new LongAdder();
  private final LongAdder flushNanos = new LongAdder();
  private final LongAdder failedFlushes = new LongAdder();
  private final AdmissionStats admissions = new AdmissionStats();

  public ServerStats() {
    // Complete from here on, so that they are only read later.
    for (ErrorCode code : ErrorCode.values()) {
      nacks.put(code, new LongAdder());
      failedFetches.put(code, new LongAdder());
    }
  }

  /** Who was let in and who was not. */
  public AdmissionStats admissions() {
    return admissions;
  }

  /** A connection came (1) or went (-1). */
  public void connection(int change) {
    connections.add(change);
  }

  public void pushed(long blocks, long bytes) {
    pushedBlocks.add(blocks);
    pushedBytes.add(bytes);
  }

  /** Another server brought blocks, which were stored. */
  public void replicasReceived(long blocks, long bytes) {
    replicaBlocks.add(blocks);
    replicaBytes.add(bytes);
  }

  public void nacked(ErrorCode code) {
    of(nacks, code).increment();
  }

  public void fetchBegan() {
    fetches.increment();
  }

  public void fetchFailed(ErrorCode code) {
    of(failedFetches, code).increment();
  }

  /** A reader found a block damaged that the server had sent. */
  public void damageReported() {
    damageReports.increment();
  }

  /** An extent was cut off before a damaged header. */
  public void extentCut() {
    cutExtents.increment();
  }

  public void fetched(long bytes) {
    fetchedBytes.add(bytes);
  }

  public void fetchEnded(long blocks) {
    fetchedBlocks.add(blocks);
  }

  public void read(long bytes) {
    readBytes.add(bytes);
  }

  public void wantRefused() {
    refusedWants.increment();
  }

  /** A unit's payload is on a disk, so long after its copy began. */
  public void flushed(long bytes, long nanos) {
    flushedUnits.increment();
    flushedBytes.add(bytes);
    flushNanos.add(nanos);
  }

  public void flushFailed() {
    failedFlushes.increment();
  }

  public long connections() {
    return connections.sum();
  }

  public long pushedBlocks() {
    return pushedBlocks.sum();
  }

  public long pushedBytes() {
    return pushedBytes.sum();
  }

  public long replicaBlocks() {
    return replicaBlocks.sum();
  }

  public long replicaBytes() {
    return replicaBytes.sum();
  }

  public long nacks(ErrorCode code) {
    return of(nacks, code).sum();
  }

  public long fetches() {
    return fetches.sum();
  }

  public long failedFetches(ErrorCode code) {
    return of(failedFetches, code).sum();
  }

  public long damageReports() {
    return damageReports.sum();
  }

  public long cutExtents() {
    return cutExtents.sum();
  }

  public long fetchedBlocks() {
    return fetchedBlocks.sum();
  }

  public long fetchedBytes() {
    return fetchedBytes.sum();
  }

  public long readBytes() {
    return readBytes.sum();
  }

  public long refusedWants() {
    return refusedWants.sum();
  }

  public long flushedUnits() {
    return flushedUnits.sum();
  }

  public long flushedBytes() {
    return flushedBytes.sum();
  }

  public long flushNanos() {
    return flushNanos.sum();
  }

  public long failedFlushes() {
    return failedFlushes.sum();
  }

  private static LongAdder of(Map<ErrorCode, LongAdder> adders, ErrorCode code) {
    return Objects.requireNonNull(adders.get(code));
  }
}
