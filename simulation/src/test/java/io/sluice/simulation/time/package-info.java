/**
 * Virtual time: one queue of events, one seed, one thread.
 *
 * <p>Threading: everything is confined to the thread that runs the {@link
 * io.sluice.simulation.time.EventQueue}, and to the one task thread it has handed control to.
 */
@NullMarked
package io.sluice.simulation.time;

import org.jspecify.annotations.NullMarked;
