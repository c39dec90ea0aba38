package io.sluice.coordinator.grpc;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.time.Clock;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections for which there was no place: counted, and said once a minute. Thread-safe. */
final class TurnedAway {
  private static final Logger log = LoggerFactory.getLogger(TurnedAway.class);
  private static final long SAY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Counter counter;
  private final Clock clock;
  private @Nullable Long saidNanos;
  private long unsaid;

  TurnedAway(PrometheusRegistry registry, Clock clock) {
    this.clock = clock;
    this.counter =
        Counter.builder()
            .name("sluice_coordinator_connections_refused_total")
            .help("Connections closed at once: there were too many, or too many of one address.")
            .register(registry);
  }

  /**
   * One more.
   *
   * @return how many have not been said before, if that is said now; else 0
   */
  synchronized long note(InetAddress from) {
    counter.inc();
    unsaid++;
    long now = clock.nanoTime();
    if (saidNanos != null && now - saidNanos < SAY_NANOS) {
      return 0;
    }
    saidNanos = now;
    long said = unsaid;
    unsaid = 0;
    log.warn(
        "{} connections were closed, the last from {}: see coordinator.connections-per-address and"
            + " the limit of open files",
        said,
        from.getHostAddress());
    return said;
  }
}
