/** Spark 4.1 to 4.3: what differs from the lines before. */
@NullMarked
package org.apache.spark.shuffle.sluice.spark41;

import org.jspecify.annotations.NullMarked;
