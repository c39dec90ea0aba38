package io.sluice.server.metrics;

import io.sluice.server.segment.SegmentStore;

/** How full the server is at the moment. Thread-safe; cheap, but for the counts of partitions. */
public interface ServerGauges {
  long arenaCapacity();

  long chunkBytes();

  long free();

  long slabBytes();

  /** Reserved but not yet data: credit of clients, and seeds. */
  default long credit() {
    return Math.max(0, arenaCapacity() - free() - chunkBytes());
  }

  /** Blocks in units that are being filled or written. */
  long flushingBytes();

  /** Whether units of a store take seconds each, so that it is passed by where it can be. */
  boolean slow(SegmentStore store);

  /** Heap that the tables of shuffles, partitions and extents may take. */
  long tableCapacity();

  /** Heap that they take. */
  long tableBytes();

  long wantsWaiting();

  long readBuffersInUse();

  /** Chunks with bytes on their way to readers. */
  long leasedBytes();

  /** The most that these may be. */
  long leaseCapacity();

  /** Fetch streams that wait for room among them. */
  long leasesWaiting();

  long shuffles();

  long partitions();

  /** Extents of these partitions, on all disks. */
  long extents();

  /** Applications that may store nothing more. */
  long applicationsAtQuota();

  /** Users whose applications may store nothing more. */
  long usersAtQuota();
}
