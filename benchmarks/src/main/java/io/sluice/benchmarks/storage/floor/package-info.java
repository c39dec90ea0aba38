/**
 * What nobody is faster than: the raw disk, files written and read from their beginning to their
 * end, so many accesses at a time; and copies alone. Not a line of the engine takes part.
 */
@NullMarked
package io.sluice.benchmarks.storage.floor;

import org.jspecify.annotations.NullMarked;
