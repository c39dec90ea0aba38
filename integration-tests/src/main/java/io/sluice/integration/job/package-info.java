/**
 * Spark jobs that go wrong on purpose, submitted like any other. What goes wrong is said in Spark's
 * configuration ({@code spark.faults.*}), so that the same job runs with and without.
 */
@NullMarked
package io.sluice.integration.job;

import org.jspecify.annotations.NullMarked;
