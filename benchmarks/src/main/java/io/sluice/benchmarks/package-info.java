/**
 * The {@code bench} command: one class for each thing to measure. Everything runs on one thread.
 */
@NullMarked
package io.sluice.benchmarks;

import org.jspecify.annotations.NullMarked;
