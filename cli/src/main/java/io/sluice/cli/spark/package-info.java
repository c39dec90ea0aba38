/**
 * Spark as seen from outside its processes: where it lies, how a driver is started, and the lines
 * that a driver and its owner exchange. {@link io.sluice.cli.spark.JobRequest} and {@link
 * io.sluice.cli.spark.JobResult} also run inside the driver and use nothing but the JDK.
 *
 * <p>Immutable values are free to share; a {@link io.sluice.cli.spark.SparkDriver} belongs to one
 * thread.
 */
@NullMarked
package io.sluice.cli.spark;

import org.jspecify.annotations.NullMarked;
