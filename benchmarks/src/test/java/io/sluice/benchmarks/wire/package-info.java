@NullMarked
package io.sluice.benchmarks.wire;

import org.jspecify.annotations.NullMarked;
