/**
 * The protocol itself, free of channels and threads: what a side of a connection does with bytes
 * that arrive and with calls on its link.
 *
 * <p>A {@link io.sluice.transport.session.Protocol} is driven by its event loop (or by a simulated
 * one) through {@code start}, {@code receive}, {@code readComplete}, {@code writabilityChanged},
 * {@code tick} and {@code disconnected}, and speaks through an {@link
 * io.sluice.transport.session.Output}. All of it is confined to that one thread, except where a
 * link's method says otherwise. Bytes handed in are read during the call only; buffers and leases
 * handed to the output belong to the output.
 */
@NullMarked
package io.sluice.transport.session;

import org.jspecify.annotations.NullMarked;
