@NullMarked
package io.sluice.benchmarks.crowded;

import org.jspecify.annotations.NullMarked;
