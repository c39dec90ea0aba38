/** Where tasks push blocks to and read them from. Thread-safe. */
@NullMarked
package org.apache.spark.shuffle.sluice.store;

import org.jspecify.annotations.NullMarked;
