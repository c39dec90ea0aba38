/**
 * The coordinator's process: configuration and composition. {@link
 * io.sluice.coordinator.Coordinator#start} builds everything and owns it until it is closed.
 */
@NullMarked
package io.sluice.coordinator;

import org.jspecify.annotations.NullMarked;
