/**
 * The data plane alone: a client's process and a server's on this machine, over plain sockets and
 * over gRPC in turns.
 *
 * <p>Threading and ownership: the command runs on one thread and owns both processes; they end with
 * their standard input.
 */
@NullMarked
package io.sluice.benchmarks.wire;

import org.jspecify.annotations.NullMarked;
