/**
 * {@code bin/bench coordinator}: how fast a leader places, what heartbeats cost it, how even it
 * makes a cluster. One thread.
 */
@NullMarked
package io.sluice.benchmarks.coordinator;

import org.jspecify.annotations.NullMarked;
