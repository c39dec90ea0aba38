/** What must hold in every simulation, by name, and the books it is checked against. */
@NullMarked
package io.sluice.simulation.invariant;

import org.jspecify.annotations.NullMarked;
