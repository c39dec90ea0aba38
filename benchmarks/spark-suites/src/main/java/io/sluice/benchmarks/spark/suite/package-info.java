/** Suites of Spark's that need to be told of Sluice, since they ignore system properties. */
@NullMarked
package io.sluice.benchmarks.spark.suite;

import org.jspecify.annotations.NullMarked;
