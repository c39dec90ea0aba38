package io.sluice.server;

import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;

/**
 * The sizes of a server core.
 *
 * @param memory what blocks, and the tables that find them, may take
 * @param maxRunBytes blocks of a partition that go to disk as one extent; a unit must hold as many,
 *     and the largest block
 * @param readBufferBytes size of a buffer for reads from disk
 * @param readBuffers how many of these
 */
public record CoreSettings(
    Memory memory,
    int maxRunBytes,
    int readBufferBytes,
    int readBuffers,
    CreditLimits credit,
    FlushLimits flush) {

  /**
   * What data may take.
   *
   * @param arenaBytes direct memory for blocks, in whole mebibytes
   * @param tableBytes heap for shuffles, partitions and extents
   */
  public record Memory(long arenaBytes, long tableBytes) {}
}
