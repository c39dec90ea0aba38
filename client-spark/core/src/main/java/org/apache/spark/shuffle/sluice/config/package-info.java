/** The {@code spark.sluice.*} entries, and the Spark entries that follow from them. */
@NullMarked
package org.apache.spark.shuffle.sluice.config;

import org.jspecify.annotations.NullMarked;
