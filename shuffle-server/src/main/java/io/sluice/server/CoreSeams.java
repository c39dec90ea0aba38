package io.sluice.server;

import io.sluice.common.time.Scheduler;
import io.sluice.server.replication.PeerConnector;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.ServerIdentity;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * What a server core needs of the world.
 *
 * @param scheduler for deadlines; its tasks are short
 * @param flushExecutor runs flush steps, which copy megabytes; never an event loop
 * @param identity who the server is, now
 * @param stores one per disk, none for memory only; closed by whoever made them
 * @param peers how to reach other servers
 */
public record CoreSeams(
    Scheduler scheduler,
    Executor flushExecutor,
    Supplier<ServerIdentity> identity,
    List<SegmentStore> stores,
    PeerConnector peers) {
  /** Those of a server without peers. */
  public CoreSeams(
      Scheduler scheduler,
      Executor flushExecutor,
      Supplier<ServerIdentity> identity,
      List<SegmentStore> stores) {
    this(scheduler, flushExecutor, identity, stores, PeerConnector.none(scheduler));
  }
}
