/**
 * Which shuffles a server has, and which it must never have again. Thread-safe; takes partition
 * locks, holds no lock of its own while doing so.
 */
@NullMarked
package io.sluice.server.lifecycle;

import org.jspecify.annotations.NullMarked;
