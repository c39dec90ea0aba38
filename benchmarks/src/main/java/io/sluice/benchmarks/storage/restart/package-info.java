/**
 * How long a server with many extents on its disk takes to serve again.
 *
 * <p>Threading and ownership: a process of its own fills the disk, and each start that is measured
 * is another one, so that its code is as cold as a server's. Everything here is one thread's.
 */
@NullMarked
package io.sluice.benchmarks.storage.restart;

import org.jspecify.annotations.NullMarked;
