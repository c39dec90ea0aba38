/**
 * Credit: what clients may send without asking, every byte of it backed by reserved memory.
 *
 * <p>An account belongs to one connection and its event loop. The broker and its queue of WANTs are
 * shared, under the broker's lock, which is held only for bookkeeping; grants travel to the
 * connection's event loop as reservations.
 */
@NullMarked
package io.sluice.server.credit;

import org.jspecify.annotations.NullMarked;
