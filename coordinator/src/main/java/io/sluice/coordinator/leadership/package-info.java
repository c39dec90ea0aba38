/**
 * From winning an election to leading: begins a term in the store, makes the {@link
 * io.sluice.coordinator.cluster.Cluster} of that term, and ends it when the election is lost.
 * Confined to the control thread.
 */
@NullMarked
package io.sluice.coordinator.leadership;

import org.jspecify.annotations.NullMarked;
