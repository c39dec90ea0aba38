/**
 * Blocks of a MapReduce job: records to blocks, blocks to runs of records. Each object is used by
 * one thread at a time.
 */
@NullMarked
package io.sluice.mapreduce.block;

import org.jspecify.annotations.NullMarked;
