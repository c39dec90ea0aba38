package io.sluice.benchmarks.storage.engine;

import io.sluice.benchmarks.storage.disk.AccessCounts;
import io.sluice.benchmarks.storage.load.ClientWork;
import io.sluice.common.time.Scheduler;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.segment.SegmentStore;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Where an engine runs: threads, time and a disk, real or modelled. One thread's. */
public interface Site extends AutoCloseable {
  /** For the core's timers. */
  Scheduler scheduler();

  /** For the core's flush steps. */
  Executor flushing();

  /** How many event loops there are. */
  int loops();

  /** The event loop of a connection: connections share them in turn. */
  Executor loop(int connection);

  /** Where a connection's client works that reads; its own. */
  Executor client(int connection);

  /** How clients work that write: on the event loops. */
  ClientWork writing();

  /** What its disk is made of. */
  DiskClass disk();

  /** Opens the store, which the caller closes before the next one is opened. */
  SegmentStore open(DiskOptions options, long incarnation);

  /** Makes what was written survive power loss, where it went through the page cache. */
  void sync() throws IOException;

  /** Lets everything run until a result is there. */
  <T> T await(CompletableFuture<T> result) throws InterruptedException;

  /** What has been used so far. */
  Reading reading();

  @Override
  void close();

  /**
   * Counters since the start.
   *
   * @param seconds from an arbitrary origin
   * @param cpuSeconds of the process, clients included
   * @param clientCpuSeconds of clients
   * @param queueSeconds that accesses spent at the disk, of all together; no number if that is
   *     unknown
   * @param storageBytes sent to storage
   */
  record Reading(
      double seconds,
      double cpuSeconds,
      double clientCpuSeconds,
      double queueSeconds,
      long storageBytes,
      AccessCounts access) {}
}
