package io.sluice.server;

import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;

/**
 * The sizes of a server core.
 *
 * @param arenaBytes direct memory for blocks, in whole mebibytes
 * @param maxRunBytes blocks of a partition that go to disk as one extent; a unit must hold as many,
 *     and the largest block
 * @param readBufferBytes size of a buffer for reads from disk
 * @param readBuffers how many of these
 */
public record CoreSettings(
    long arenaBytes,
    int maxRunBytes,
    int readBufferBytes,
    int readBuffers,
    CreditLimits credit,
    FlushLimits flush) {}
