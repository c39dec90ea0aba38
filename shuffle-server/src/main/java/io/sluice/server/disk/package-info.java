/**
 * One disk: the seam to its files, the threads that work for it, and its health. Files belong to
 * whoever opened them; everything else is thread-safe.
 */
@NullMarked
package io.sluice.server.disk;

import org.jspecify.annotations.NullMarked;
