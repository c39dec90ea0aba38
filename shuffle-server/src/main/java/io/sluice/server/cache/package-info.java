/**
 * How one disk is read: in windows, each read once for all who want it (docs/read-path.md).
 *
 * <p>Threading: {@code ReadCache} is thread-safe by one lock, under which nothing is read or
 * copied. Windows are filled on the disk's threads; what is there already is handed over on the
 * caller's.
 *
 * <p>Ownership: the cache owns all window memory, of which there is a fixed amount. Readers lease
 * what they want of it, up to a bound for all of them together, and end each lease once; beyond the
 * bound they get copies in room of their own. A caller's target and its hold on the source belong
 * to the cache until it calls back.
 */
@NullMarked
package io.sluice.server.cache;

import org.jspecify.annotations.NullMarked;
