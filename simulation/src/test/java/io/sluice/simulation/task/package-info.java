/**
 * Task threads that take turns with the simulation.
 *
 * <p>The client's blocking calls are what engines use, so they are what is tested: a map output or
 * a reader is driven by a real thread. But only one thread runs at any time. The simulation hands
 * control to a task and waits until that task waits for a signal, pauses or ends; so a task's steps
 * are events like any other, and the order of everything still follows from the seed.
 */
@NullMarked
package io.sluice.simulation.task;

import org.jspecify.annotations.NullMarked;
