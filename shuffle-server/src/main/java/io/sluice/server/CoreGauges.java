package io.sluice.server;

import io.sluice.server.metrics.ServerGauges;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.segment.SegmentStore;

/** The gauges of a core. */
record CoreGauges(ServerCore core) implements ServerGauges {
  @Override
  public long arenaCapacity() {
    return core.arena().capacity();
  }

  @Override
  public long chunkBytes() {
    return core.arena().chunkBytes();
  }

  @Override
  public long free() {
    return core.arena().free();
  }

  @Override
  public long flushingBytes() {
    return core.flushingBytes();
  }

  @Override
  public long slabBytes() {
    return core.arena().slabBytes();
  }

  @Override
  public boolean slow(SegmentStore store) {
    return core.slow(store);
  }

  @Override
  public long tableCapacity() {
    return core.tables().capacity();
  }

  @Override
  public long tableBytes() {
    return core.tables().used();
  }

  @Override
  public long wantsWaiting() {
    return core.credit().wants();
  }

  @Override
  public long readBuffersInUse() {
    return core.readBuffers().inUse();
  }

  @Override
  public long leasedBytes() {
    return core.leases().leased();
  }

  @Override
  public long leaseCapacity() {
    return core.leases().capacity();
  }

  @Override
  public long leasesWaiting() {
    return core.leases().waiting();
  }

  @Override
  public long applicationsAtQuota() {
    return core.quotas().exhausted() + core.shuffles().applicationsAtTableLimit();
  }

  @Override
  public long usersAtQuota() {
    return core.quotas().exhaustedUsers();
  }

  @Override
  public long shuffles() {
    return core.shuffles().all().size();
  }

  @Override
  public long partitions() {
    return core.shuffles().all().stream().mapToLong(Shuffle::partitions).sum();
  }

  @Override
  public long extents() {
    return core.tables().extents();
  }
}
