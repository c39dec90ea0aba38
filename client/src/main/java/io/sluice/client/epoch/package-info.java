/**
 * Making epochs, for the one process of an engine that does: what a driver knows of servers, and
 * where partitions go that cannot stay. No engine, no network: the driver feeds events and time in.
 *
 * <p>Threading: {@link io.sluice.client.epoch.ServerBook} is thread-safe, the rest is immutable or
 * used by one thread.
 */
@NullMarked
package io.sluice.client.epoch;

import org.jspecify.annotations.NullMarked;
