/**
 * How a process learns that partitions have moved: what it tells the engine's driver about servers,
 * and the newest placement it knows of each shuffle.
 *
 * <p>Threading: {@link io.sluice.client.placement.Placements} is shared by all tasks of a process
 * and calls the {@link io.sluice.client.placement.PlacementSource} outside of its lock; the rest is
 * immutable.
 */
@NullMarked
package io.sluice.client.placement;

import org.jspecify.annotations.NullMarked;
