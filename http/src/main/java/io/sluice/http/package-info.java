/**
 * Metrics and health of a process over HTTP, and what else it has to say (its {@link
 * io.sluice.http.Site}).
 *
 * <p>One event loop holds all connections, one worker renders what is asked for; both are daemon
 * threads. A client that sends half a request costs a connection for {@link
 * io.sluice.http.StatusPages#REQUEST_SECONDS}, never a thread, so probes and scrapes go on beside
 * it.
 */
@NullMarked
package io.sluice.http;

import org.jspecify.annotations.NullMarked;
