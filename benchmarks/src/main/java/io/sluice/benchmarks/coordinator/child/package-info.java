/** The processes of the coordinator's measurements: a coordinator, and those who talk to it. */
@NullMarked
package io.sluice.benchmarks.coordinator.child;

import org.jspecify.annotations.NullMarked;
