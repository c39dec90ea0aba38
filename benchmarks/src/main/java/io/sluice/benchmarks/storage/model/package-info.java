/**
 * A spinning disk that is computed: the real engine in virtual time, and beside it a layout with
 * one file per partition on the same disk.
 *
 * <p>The model: one spindle, first come first served. An access takes {@code 8.15 ms} if it seeks
 * and {@code size / 176 MiB/s}, which is a published curve of an enterprise disk
 * (docs/benchmarks/storage.md says where from). Addresses are given out in the order in which files
 * grow, over all files. There is no page cache: small reads pay for themselves; what the catalog
 * logs is written back every five seconds. Bytes really lie in files of this machine, but how long
 * that takes is not looked at, nor is CPU time.
 *
 * <p>Threading: exactly one thread runs at any time. The disk's tasks block, so each of its threads
 * is a real one, to which control is handed and which hands it back when it waits.
 */
@NullMarked
package io.sluice.benchmarks.storage.model;

import org.jspecify.annotations.NullMarked;
