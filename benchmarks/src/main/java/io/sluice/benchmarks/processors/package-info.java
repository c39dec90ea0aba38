/** What the processors are to each other while something is measured on them. */
@NullMarked
package io.sluice.benchmarks.processors;

import org.jspecify.annotations.NullMarked;
