/**
 * One job as all its tasks see it: who it is, where its map outputs go, and who makes that so. No
 * process stands for a job, so what a driver would remember lies in the job's own staging
 * directory.
 *
 * <p>A task opens one {@link io.sluice.mapreduce.job.JobShuffle} and closes it; what is in there is
 * thread-safe.
 */
@NullMarked
package io.sluice.mapreduce.job;

import org.jspecify.annotations.NullMarked;
