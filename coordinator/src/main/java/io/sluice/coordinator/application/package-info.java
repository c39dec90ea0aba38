/**
 * Applications, their leases and their shuffles. Pure state machines, confined to the control
 * thread.
 */
@NullMarked
package io.sluice.coordinator.application;

import org.jspecify.annotations.NullMarked;
