/**
 * How the bytes of a block are compressed. A codec holds native state and belongs to one task
 * thread; whoever made it closes it.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.codec;

import org.jspecify.annotations.NullMarked;
