/** A driver that runs queries one after the other, and writes down what they gave. One thread. */
@NullMarked
package io.sluice.benchmarks.spark.query;

import org.jspecify.annotations.NullMarked;
