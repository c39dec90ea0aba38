/**
 * Who the servers are and how they fare. Pure state machines: no threads, no clocks but the
 * scheduler's; confined to the control thread, whose scheduler they are given. What they hand out
 * ({@link io.sluice.coordinator.membership.ServerView}, {@link
 * io.sluice.coordinator.membership.Directive}) is immutable.
 */
@NullMarked
package io.sluice.coordinator.membership;

import org.jspecify.annotations.NullMarked;
