/**
 * Fetching a range of partitions, and proving that it is whole.
 *
 * <p>Threading: {@link io.sluice.client.fetch.LandingStream} and what it fills belong to the event
 * loop of the server's connection; it hands ranges of landing buffers with whole blocks through
 * {@link io.sluice.client.fetch.ArrivalQueue} to the task's thread, which owns everything else:
 * verification, completeness, retries. The task's thread is whoever reads: an engine may have
 * another one {@link io.sluice.client.BlockReader#poll poll} in its place, one at a time.
 * Ownership: a landing buffer is freed when its stream and every range of it that was handed over
 * are done with it.
 */
@NullMarked
package io.sluice.client.fetch;

import org.jspecify.annotations.NullMarked;
