/** Fakes for the coordinator's seams; confined to the test's thread. */
@NullMarked
package io.sluice.coordinator.testing;

import org.jspecify.annotations.NullMarked;
