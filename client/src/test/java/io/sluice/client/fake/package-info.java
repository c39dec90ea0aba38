/**
 * A cluster of shuffle servers in one thread, under one seed and virtual time: what the client's
 * tests run against. A task that waits runs the loop's next event instead, so a test is one plain
 * sequence of calls, and a client that waits for nothing fails at once as a stall.
 */
@NullMarked
package io.sluice.client.fake;

import org.jspecify.annotations.NullMarked;
