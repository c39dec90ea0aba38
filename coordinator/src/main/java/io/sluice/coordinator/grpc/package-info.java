/**
 * The gRPC face of the coordinator: decode and check, call the {@link
 * io.sluice.coordinator.cluster.Cluster}, encode.
 *
 * <p>gRPC is given the control thread as its call executor, so every handler here runs where the
 * state lives, one at a time, and nothing is locked or handed over. What may wait for that thread
 * is bounded by connections x calls per connection, because gRPC reads one message ahead per call.
 */
@NullMarked
package io.sluice.coordinator.grpc;

import org.jspecify.annotations.NullMarked;
