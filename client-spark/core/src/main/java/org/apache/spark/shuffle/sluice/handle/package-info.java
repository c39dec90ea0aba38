/** What travels between the driver and its tasks. Immutable and serialisable. */
@NullMarked
package org.apache.spark.shuffle.sluice.handle;

import org.jspecify.annotations.NullMarked;
