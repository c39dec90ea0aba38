package io.sluice.cli.local;

import io.sluice.cli.process.ProcessUsage;

/**
 * What a shuffle service has used and moved since it started, over all its servers.
 *
 * @param processes of servers and coordinator together
 * @param pushedBlocks blocks taken in
 * @param pushedBytes stored bytes of blocks taken in
 * @param fetchedBytes stored bytes of blocks given out
 * @param spilledBytes stored bytes of blocks that went to disk
 */
public record ServiceUsage(
    ProcessUsage processes,
    long pushedBlocks,
    long pushedBytes,
    long fetchedBytes,
    long spilledBytes) {

  /** Of a shuffle that has no service: Spark's own. */
  public static final ServiceUsage NONE = new ServiceUsage(ProcessUsage.NONE, 0, 0, 0, 0);
}
