/** Spark 3.5: what differs from other lines. */
@NullMarked
package org.apache.spark.shuffle.sluice.spark35;

import org.jspecify.annotations.NullMarked;
