package io.sluice.server;

import io.sluice.common.time.Scheduler;
import io.sluice.server.segment.SegmentStore;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What a server core needs of the world.
 *
 * @param scheduler for deadlines; its tasks are short
 * @param flushExecutor runs flush steps, which copy megabytes; never an event loop
 * @param incarnation the server's, now
 * @param stores one per disk, none for memory only; closed by whoever made them
 */
public record CoreSeams(
    Scheduler scheduler,
    Executor flushExecutor,
    LongSupplier incarnation,
    List<SegmentStore> stores) {}
