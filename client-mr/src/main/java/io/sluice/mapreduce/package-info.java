/**
 * Sluice for Hadoop MapReduce 3.x: the plug-ins that a job names. See docs/mapreduce.md.
 *
 * <p>Hadoop makes an object for each task attempt and calls it on the task's thread; map outputs
 * may be collected by several threads, one at a time.
 */
@NullMarked
package io.sluice.mapreduce;

import org.jspecify.annotations.NullMarked;
