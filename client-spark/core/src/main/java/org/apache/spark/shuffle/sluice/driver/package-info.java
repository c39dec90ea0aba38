/**
 * What only the driver does: knowing where shuffles are placed, making new epochs, and taking back
 * map outputs that readers miss or that were lost with a server. Thread-safe, since Spark registers
 * and removes shuffles from several threads, and tasks and coordinators speak when they please.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.driver;

import org.jspecify.annotations.NullMarked;
