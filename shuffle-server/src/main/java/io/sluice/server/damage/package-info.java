/**
 * What readers say is damaged on a disk, looked at and cut off (docs/failures.md, "A damaged
 * extent").
 *
 * <p>Threading: complaints come on event loops, which only take note. Bytes are read by the stores
 * and looked at on an executor, a step at a time, never two of one store. Who waits for a look is
 * told on any thread.
 *
 * <p>Ownership: a line has its one buffer, which is a store's while it reads. A wait is closed by
 * whoever waits.
 */
@NullMarked
package io.sluice.server.damage;

import org.jspecify.annotations.NullMarked;
