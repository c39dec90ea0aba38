/**
 * The gRPC face of the coordinator: decode and check, call the {@link
 * io.sluice.coordinator.cluster.Cluster}, encode.
 *
 * <p>Every handler here runs on the control thread, where the state lives, one at a time, and
 * nothing is locked: what somebody waits for at once, reports and heartbeats gathered for a few
 * milliseconds ({@link io.sluice.coordinator.grpc.ControlExecutors}). Both keep a call's messages
 * in order; between calls there is none. That a call was cancelled is known at once, and what it
 * sent and was not taken yet is dropped: who needs to have been heard waits for an answer, or for
 * the end of the stream. What may wait for the control thread is bounded by connections x calls per
 * connection, since gRPC reads one message ahead per call, and eight of a server's reports.
 */
@NullMarked
package io.sluice.coordinator.grpc;

import org.jspecify.annotations.NullMarked;
