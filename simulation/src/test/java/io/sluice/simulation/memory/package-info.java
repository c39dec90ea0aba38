/**
 * Direct memory of simulated processes: every buffer known, freed memory spoilt, native memory kept
 * from one simulation to the next. Confined to the simulation's thread.
 */
@NullMarked
package io.sluice.simulation.memory;

import org.jspecify.annotations.NullMarked;
