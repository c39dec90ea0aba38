@NullMarked
package io.sluice.benchmarks.wire.load;

import org.jspecify.annotations.NullMarked;
