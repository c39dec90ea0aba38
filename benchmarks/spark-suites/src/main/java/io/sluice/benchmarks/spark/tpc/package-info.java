/**
 * Data of TPC-DS and TPC-H, made by libraries in Spark's tasks and kept as Parquet. Immutable
 * classes; rows are made by the thread that asks for them.
 */
@NullMarked
package io.sluice.benchmarks.spark.tpc;

import org.jspecify.annotations.NullMarked;
