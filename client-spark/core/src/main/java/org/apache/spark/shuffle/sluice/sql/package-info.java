/**
 * What depends on Spark SQL's classes. Loaded only when a shuffle's serializer comes from there, so
 * that applications without Spark SQL never touch it.
 */
@NullMarked
package org.apache.spark.shuffle.sluice.sql;

import org.jspecify.annotations.NullMarked;
