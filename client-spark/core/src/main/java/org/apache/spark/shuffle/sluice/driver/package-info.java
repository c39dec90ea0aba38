/**
 * What only the driver does: knowing where shuffles are placed, and taking back map outputs that
 * readers miss. Thread-safe, since Spark registers and removes shuffles from several threads.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.driver;

import org.jspecify.annotations.NullMarked;
