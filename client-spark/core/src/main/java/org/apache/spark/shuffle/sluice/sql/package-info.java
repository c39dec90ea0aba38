/**
 * What depends on Spark SQL's classes. {@code UnsafeRowFormat} is asked for every shuffle whether
 * its serializer is Spark SQL's, and goes by the name of that. Only where it is does anything here
 * need a class of Spark SQL, so that applications work that have not got its jars.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.sql;

import org.jspecify.annotations.NullMarked;
