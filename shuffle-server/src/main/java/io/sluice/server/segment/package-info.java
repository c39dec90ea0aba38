/**
 * Units, segments and extents: the on-disk form of shuffled data. Knows files and the catalog, not
 * connections, frames or protobuf.
 */
@NullMarked
package io.sluice.server.segment;

import org.jspecify.annotations.NullMarked;
