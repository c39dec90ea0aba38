/**
 * Spark's own test suites, run through Sluice: each in a process of its own, its results held to a
 * list of what is expected to fail and why. Nothing here sees Spark's classes. One thread.
 */
@NullMarked
package io.sluice.benchmarks.suites;

import org.jspecify.annotations.NullMarked;
