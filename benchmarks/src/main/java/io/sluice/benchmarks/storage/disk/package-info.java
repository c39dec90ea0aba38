/**
 * Looking over a disk's shoulder: what was asked of it, in accesses, bytes and jumps. Thread-safe,
 * as the disks themselves are; nothing here owns a file.
 */
@NullMarked
package io.sluice.benchmarks.storage.disk;

import org.jspecify.annotations.NullMarked;
