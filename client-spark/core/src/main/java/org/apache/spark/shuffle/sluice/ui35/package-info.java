/** Spark 3.5: pages of its UI, for servlets of {@code javax}. */
@NullMarked
package org.apache.spark.shuffle.sluice.ui35;

import org.jspecify.annotations.NullMarked;
