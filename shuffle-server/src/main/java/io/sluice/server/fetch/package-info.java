/**
 * Fetch streams: which bytes a reader gets, from memory or disk, strictly under its credit.
 *
 * <p>Threading: a connection's streams run on its event loop. Reads complete on a disk's thread and
 * are handed over to the event loop at once. The pool of read buffers is shared and thread-safe.
 *
 * <p>Ownership: a piece belongs to the link once it is given to it. A read buffer belongs to the
 * extent work that reads into it, and to every piece cut from it; the last to close gives it back.
 */
@NullMarked
package io.sluice.server.fetch;

import org.jspecify.annotations.NullMarked;
