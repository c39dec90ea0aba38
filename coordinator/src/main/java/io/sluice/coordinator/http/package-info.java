/**
 * Metrics and health over HTTP. Runs on its own two threads; what it shows of the cluster was
 * pushed into metrics by the control thread.
 */
@NullMarked
package io.sluice.coordinator.http;

import org.jspecify.annotations.NullMarked;
