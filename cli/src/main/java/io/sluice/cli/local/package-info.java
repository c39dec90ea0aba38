/**
 * A whole Sluice cluster on this machine, as processes of its own: for the quickstart, benchmarks
 * and integration tests. Belongs to one thread; what it started ends with its {@link
 * io.sluice.cli.process.ProcessGroup}.
 */
@NullMarked
package io.sluice.cli.local;

import org.jspecify.annotations.NullMarked;
