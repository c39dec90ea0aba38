/**
 * Tiers: which kinds of stores there are, which of them takes the next unit (docs/tiers.md), and
 * the seam to a tier on a remote file system, which a module of its own provides.
 */
@NullMarked
package io.sluice.server.tier;

import org.jspecify.annotations.NullMarked;
