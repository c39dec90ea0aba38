/**
 * Hadoop in a process of its own, as whoever starts it sees it: HDFS, YARN and MapReduce jobs that
 * shuffle as they are told. Used by one thread.
 */
@NullMarked
package io.sluice.benchmarks.hadoop;

import org.jspecify.annotations.NullMarked;
