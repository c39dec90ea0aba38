/**
 * Queries of TPC-DS and TPC-H through Sluice and through Spark's own shuffle, in turns, their
 * results compared row for row. Nothing here sees Spark's classes; what runs in drivers is in a
 * module of its own. One thread.
 */
@NullMarked
package io.sluice.benchmarks.queries;

import org.jspecify.annotations.NullMarked;
