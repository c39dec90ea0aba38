/**
 * The HDFS tier: the only code of a server that knows Hadoop. A folder on HDFS is one more {@link
 * io.sluice.server.disk.Disk}, so units, segments, recovery and removal are those of local disks.
 *
 * <p>Calls into the Hadoop client may block for as long as its retries last. They are made on
 * threads of {@code HdfsCalls} only, each with a deadline; whoever waits for one is a thread of the
 * store's own disk queue, never an event loop. Memory handed to a call is the call's own, so one
 * that is given up can never write into a buffer that has gone to somebody else.
 */
@NullMarked
package io.sluice.tier.hdfs;

import org.jspecify.annotations.NullMarked;
