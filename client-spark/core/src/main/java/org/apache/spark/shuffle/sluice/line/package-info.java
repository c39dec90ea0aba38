/**
 * What differs between the lines of Spark that one core serves. Everything else in this module is
 * compiled once, against the oldest, and must link and behave alike on all of them.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.line;

import org.jspecify.annotations.NullMarked;
