/** Whether one core, compiled against the oldest Spark, links with the others. */
@NullMarked
package org.apache.spark.shuffle.sluice.linkage;

import org.jspecify.annotations.NullMarked;
