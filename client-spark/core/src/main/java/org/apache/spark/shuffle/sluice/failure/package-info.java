/** What tasks are told of failures that somebody caught. */
@NullMarked
package org.apache.spark.shuffle.sluice.failure;

import org.jspecify.annotations.NullMarked;
