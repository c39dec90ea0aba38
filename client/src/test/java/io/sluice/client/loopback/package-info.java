/** The client over real sockets, against a server that keeps blocks on the heap. */
@NullMarked
package io.sluice.client.loopback;

import org.jspecify.annotations.NullMarked;
