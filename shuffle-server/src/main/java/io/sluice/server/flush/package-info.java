/**
 * From memory to disk: when to flush, what, and how.
 *
 * <p>Threading: planning is pure. A {@code DiskFlusher} runs its steps one at a time on the flush
 * executor, never on an event loop; so does what follows a write.
 *
 * <p>Ownership: a claimed run is held by its flush from the claim until it is published or
 * unclaimed.
 */
@NullMarked
package io.sluice.server.flush;

import org.jspecify.annotations.NullMarked;
