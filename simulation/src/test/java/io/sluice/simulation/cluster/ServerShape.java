package io.sluice.simulation.cluster;

import io.sluice.server.CoreSettings;
import io.sluice.server.disk.DiskOptions;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;

/**
 * How the servers of a cluster are configured.
 *
 * @param eventLoops per server
 * @param dataOnDisk whether memory spills to the disks
 * @param verifyCrc whether blocks are checked on receipt
 */
public record ServerShape(
    int eventLoops,
    boolean dataOnDisk,
    CoreSettings core,
    DiskOptions disks,
    ConnectionLimits limits,
    ConnectionTimeouts timeouts,
    boolean verifyCrc) {}
