/**
 * The reduce side. {@link org.apache.spark.shuffle.sluice.read.Winners} says what must be there,
 * {@link org.apache.spark.shuffle.sluice.read.PieceReader} decompresses what comes of it, {@link
 * org.apache.spark.shuffle.sluice.read.RawBlocks} gives that to the task, record iterators
 * deserialise it, and {@link org.apache.spark.shuffle.sluice.read.SluiceShuffleReader} aggregates
 * and sorts as Spark's own reader does.
 *
 * <p>Everything here belongs to one task and the thread that reads, which is mostly the task's, and
 * is closed by a completion listener of the task at the latest ({@link
 * org.apache.spark.shuffle.sluice.read.TaskEnd}). What memory it takes is counted with the task's
 * ({@link org.apache.spark.shuffle.sluice.read.CountedMemory}). What is decoded ahead, {@link
 * org.apache.spark.shuffle.sluice.read.ReadAhead} hands to another thread and takes back.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.read;

import org.jspecify.annotations.NullMarked;
