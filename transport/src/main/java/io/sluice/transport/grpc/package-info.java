/**
 * The protocol over gRPC: the byte stream of a connection, cut into the messages of one call with a
 * stream in each direction. For networks that only admit HTTP/2.
 *
 * <p>Messages are pieces of the byte stream, cut where it suits the sender; nothing here knows
 * frames. gRPC runs with direct executors on the event loops of {@link
 * io.sluice.transport.netty.EventLoops}, so everything about one connection happens on its event
 * loop, as over sockets. Bytes on their way out are owned by {@code WaitingBytes} until gRPC has
 * copied them; bytes that arrive are gRPC's and read during the call only.
 */
@NullMarked
package io.sluice.transport.grpc;

import org.jspecify.annotations.NullMarked;
