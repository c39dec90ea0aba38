/**
 * Whose turn it is when several want what there is not enough of. Pure bookkeeping: no threads, no
 * clocks; whoever owns a queue guards it.
 */
@NullMarked
package io.sluice.server.fair;

import org.jspecify.annotations.NullMarked;
