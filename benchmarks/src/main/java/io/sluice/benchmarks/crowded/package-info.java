/**
 * A server that many push to at once: more writers than it has memory for, or more bytes than its
 * disk takes.
 */
@NullMarked
package io.sluice.benchmarks.crowded;

import org.jspecify.annotations.NullMarked;
