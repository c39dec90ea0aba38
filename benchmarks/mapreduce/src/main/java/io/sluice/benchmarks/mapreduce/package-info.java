/**
 * MapReduce jobs whose results can be checked, and a process that runs them on HDFS and YARN of its
 * own. Runs on Hadoop's class path and uses nothing of Sluice: a job gets Sluice's jar as a user's
 * job would.
 */
@NullMarked
package io.sluice.benchmarks.mapreduce;

import org.jspecify.annotations.NullMarked;
