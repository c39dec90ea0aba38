/**
 * How the bytes of a block are compressed. A codec holds native state and is used by one thread at
 * a time, a task's or a spare core's; whoever made it closes it.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.codec;

import org.jspecify.annotations.NullMarked;
