/**
 * What a server holds of a shuffle: per partition, runs of blocks in memory and extents on disks.
 *
 * <p>Ownership: a {@code Shuffle} owns its {@code PartitionBuffer}s, a partition owns its {@code
 * MemoryRun}s, a run owns its chunks. A block is at any moment in exactly one run or one extent of
 * its partition; a flush moves a whole run from the one to the other under the partition's lock.
 *
 * <p>Threading: the lock of a partition guards its lists and the bytes of its active run. It is
 * held to append a block, to cut a piece for a reader, to claim, publish or drop; never during I/O.
 * Order of locks: partition, then arena. Readers keep what they send alive by leases on chunks, a
 * flush by a hold on the run.
 */
@NullMarked
package io.sluice.server.partition;

import org.jspecify.annotations.NullMarked;
