/**
 * The reduce side. {@link org.apache.spark.shuffle.sluice.read.Winners} says what must be there,
 * {@link org.apache.spark.shuffle.sluice.read.RawBlocks} brings it decompressed, record iterators
 * deserialise it, and {@link org.apache.spark.shuffle.sluice.read.SluiceShuffleReader} aggregates
 * and sorts as Spark's own reader does.
 *
 * <p>Everything here belongs to one task and its thread, and is closed by a completion listener of
 * the task at the latest.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.read;

import org.jspecify.annotations.NullMarked;
