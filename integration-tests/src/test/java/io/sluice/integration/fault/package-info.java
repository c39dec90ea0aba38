/**
 * Faults that strike real processes at a chosen point of a Spark job: signals, and rules of the
 * machine's packet filter.
 *
 * <p>Threading: a fault strikes on the thread that reads the job's news, while the driver waits; it
 * ends on a timer's. Ownership: a {@link io.sluice.integration.fault.Fault} that was begun is ended
 * once by who began it; a firewall's rules go with the outage that made them.
 */
@NullMarked
package io.sluice.integration.fault;

import org.jspecify.annotations.NullMarked;
