/**
 * Looking over a disk's shoulder: what was asked of it, in accesses, bytes and jumps. Thread-safe,
 * as the disks themselves are; nothing here owns a file. And keeping a side waiting for its turn
 * with the disk ({@code DiskTurn}): whoever reads or writes then blocks.
 */
@NullMarked
package io.sluice.benchmarks.storage.disk;

import org.jspecify.annotations.NullMarked;
