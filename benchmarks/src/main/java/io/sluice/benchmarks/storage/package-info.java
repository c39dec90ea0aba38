/**
 * {@code bench storage}: the storage engine against the disk it writes to.
 *
 * <p>The command runs in one process, the engine and the raw disk each in another that lives as
 * long as a case does and is told, on its standard input, which phase comes next. So the two take
 * turns, are warm, and count their own CPU time. The modelled disk needs no turns: its time is
 * computed.
 */
@NullMarked
package io.sluice.benchmarks.storage;

import org.jspecify.annotations.NullMarked;
