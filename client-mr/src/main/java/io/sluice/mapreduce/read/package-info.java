/**
 * The reduce side: which map attempts have won, fetching what they wrote for one partition, and a
 * merge within the memory that Hadoop gives it. Everything is used by the task's thread alone.
 */
@NullMarked
package io.sluice.mapreduce.read;

import org.jspecify.annotations.NullMarked;
