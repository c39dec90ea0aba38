/**
 * Cores that no task uses, lent to tasks for what need not happen on their own thread. One object a
 * process, {@link org.apache.spark.shuffle.sluice.spare.SpareCores}; thread-safe. Its threads run
 * what they are given and own nothing: whoever gave them a job owns the job's buffers, and sees
 * that the job is over before it gives any of them back.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.spare;

import org.jspecify.annotations.NullMarked;
