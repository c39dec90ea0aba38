/**
 * How one disk is read: in windows, each read once for all who want it (docs/read-path.md).
 *
 * <p>Threading: {@code ReadCache} is thread-safe by one lock, under which nothing is read or
 * copied. Windows are filled on the disk's threads; what is there already is copied on the
 * caller's.
 *
 * <p>Ownership: the cache owns all window memory, of which there is a fixed amount. Readers bring
 * buffers of their own and get copies, so nobody can pin a window for longer than a copy takes. A
 * caller's buffer and its hold on the source belong to the cache until it calls back.
 */
@NullMarked
package io.sluice.server.cache;

import org.jspecify.annotations.NullMarked;
