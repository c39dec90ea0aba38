package io.sluice.simulation.scenario;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.metrics.ServerStats;

/** What servers have been through, to see that the simulation reaches it. */
record Coverage(
    long pushed,
    long fetched,
    long spilled,
    long readBytes,
    long failedSpills,
    long corrupt,
    long splits,
    long replicas,
    long replicasFailed) {
  static final Coverage NOTHING = new Coverage(0, 0, 0, 0, 0, 0, 0, 0, 0);

  static Coverage of(ServerStats stats) {
    return new Coverage(
        stats.pushedBlocks(),
        stats.fetchedBlocks(),
        stats.flushedUnits(),
        stats.readBytes(),
        stats.failedFlushes(),
        stats.nacks(ErrorCode.CORRUPT_BLOCK),
        stats.nacks(ErrorCode.PARTITION_FULL),
        stats.replicaBlocks(),
        stats.nacks(ErrorCode.REPLICA_FAILED));
  }

  Coverage plus(Coverage other) {
    return new Coverage(
        pushed + other.pushed,
        fetched + other.fetched,
        spilled + other.spilled,
        readBytes + other.readBytes,
        failedSpills + other.failedSpills,
        corrupt + other.corrupt,
        splits + other.splits,
        replicas + other.replicas,
        replicasFailed + other.replicasFailed);
  }
}
