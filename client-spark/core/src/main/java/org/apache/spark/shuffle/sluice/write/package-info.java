/**
 * The map side. Records are appended once to pages ({@link
 * org.apache.spark.shuffle.sluice.write.RecordPages}), sorted by partition ({@link
 * org.apache.spark.shuffle.sluice.write.PageSorter}), gathered into blocks ({@link
 * org.apache.spark.shuffle.sluice.write.BlockPacker}) and compressed straight into the client's
 * frames ({@link org.apache.spark.shuffle.sluice.write.PushPipeline}).
 *
 * <p>Everything here belongs to one task and its thread, but for a block that a spare core has for
 * as long as it compresses it ({@link org.apache.spark.shuffle.sluice.write.AheadBlock}). Pages
 * belong to Spark's task memory manager and are given back at the latest when the writer stops;
 * frames belong to the client.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.write;

import org.jspecify.annotations.NullMarked;
