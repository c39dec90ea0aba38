/**
 * Pushing the output of a map attempt.
 *
 * <p>Threading: a map output and its lanes belong to the task's thread; what event loops touch is
 * in {@link io.sluice.client.push.InFlight} and the lanes' acknowledgement marks. Ownership: a
 * frame buffer is the lane's while open and the connection's from then on.
 */
@NullMarked
package io.sluice.client.push;

import org.jspecify.annotations.NullMarked;
