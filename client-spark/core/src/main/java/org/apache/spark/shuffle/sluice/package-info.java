/**
 * The Spark plug-in: what users name in their configuration, and the composition root behind it.
 *
 * <p>One manager lives in the driver and one in each executor; each owns its process's connections
 * and closes them when Spark stops it. Methods are called from many task threads.
 */
@NullMarked
package org.apache.spark.shuffle.sluice;

import org.jspecify.annotations.NullMarked;
