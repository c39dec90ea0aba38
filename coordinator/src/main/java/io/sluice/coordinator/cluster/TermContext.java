package io.sluice.coordinator.cluster;

import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.registry.StateStore;

/**
 * What the parts of one term share.
 *
 * @param scheduler the control thread
 * @param store refuses writes once another term has begun
 * @param wanted what the store is to hold in any case
 * @param events what operators are shown of what happens
 * @param observer what metrics show
 */
record TermContext(
    Scheduler scheduler,
    StateStore store,
    WantedState wanted,
    EventLog events,
    ClusterObserver observer) {}
