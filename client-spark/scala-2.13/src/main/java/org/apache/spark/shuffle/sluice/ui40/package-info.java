/** Spark 4.x: pages of its UI, for servlets of {@code jakarta}. */
@NullMarked
package org.apache.spark.shuffle.sluice.ui40;

import org.jspecify.annotations.NullMarked;
