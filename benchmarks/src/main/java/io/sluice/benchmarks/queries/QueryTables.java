package io.sluice.benchmarks.queries;

import java.nio.file.Path;

/**
 * The tables that the queries of a suite read.
 *
 * @param scale a gigabyte is 1
 * @param folder where they are, or are made
 */
record QueryTables(QuerySuite suite, double scale, Path folder) {}
