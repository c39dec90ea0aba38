/**
 * The jobs themselves: runs inside Spark's driver and executors, submitted as a jar of its own, and
 * knows nothing of Sluice. The driver's main thread runs one job after the other.
 */
@NullMarked
package io.sluice.benchmarks.job;

import org.jspecify.annotations.NullMarked;
