/**
 * The raw disk: one file written and read from its beginning to its end, one access at a time, and
 * nothing else. Not a line of the engine takes part. One thread, two where a phase reads and writes
 * at once.
 */
@NullMarked
package io.sluice.benchmarks.storage.floor;

import org.jspecify.annotations.NullMarked;
