/**
 * Which servers hold which partitions. Pure functions of their arguments: no state, no clocks, the
 * same seed gives the same answer. Safe on every thread.
 */
@NullMarked
package io.sluice.coordinator.placement;

import org.jspecify.annotations.NullMarked;
