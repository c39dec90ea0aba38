package io.sluice.coordinator.http;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.coordinator.cluster.ClusterObserver;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.placement.Apart;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the leader knows, as Prometheus metrics. No application or shuffle is ever a label. */
public final class ClusterMetrics implements ClusterObserver {
  private static final double NANOS = 1e-9;

  private final Gauge servers;
  private final Gauge applications;
  private final Gauge shuffles;
  private final Counter expirations;
  private final Counter partitions;
  private final Counter together;
  private final Histogram placing;

  public ClusterMetrics(PrometheusRegistry registry) {
    this.servers =
        Gauge.builder()
            .name("sluice_coordinator_servers")
            .help("Shuffle servers known to this leader, by state.")
            .labelNames("state")
            .register(registry);
    this.applications =
        Gauge.builder()
            .name("sluice_coordinator_applications")
            .help("Applications known to this leader.")
            .register(registry);
    this.shuffles =
        Gauge.builder()
            .name("sluice_coordinator_shuffles")
            .help("Shuffles placed by this leader and not removed.")
            .register(registry);
    this.expirations =
        Counter.builder()
            .name("sluice_coordinator_applications_expired_total")
            .help("Applications that ended because they were silent for too long.")
            .register(registry);
    this.partitions =
        Counter.builder()
            .name("sluice_coordinator_partitions_placed_total")
            .help("Partitions placed on servers.")
            .register(registry);
    this.together =
        Counter.builder()
            .name("sluice_coordinator_shuffles_together_total")
            .help(
                "Shuffles placed with copies of a partition on one host, or in one rack or zone"
                    + " though there are others, by what some copies share.")
            .labelNames("shared")
            .register(registry);
    for (String shared : List.of("host", "rack", "zone")) {
      together.initLabelValues(shared);
    }
    this.placing =
        Histogram.builder()
            .name("sluice_coordinator_placement_seconds")
            .help("Time to place a shuffle.")
            .classicUpperBounds(0.0001, 0.001, 0.01, 0.1, 1)
            .classicOnly()
            .register(registry);
  }

  @Override
  public void countedServers(Map<ServerState, Integer> counts) {
    counts.forEach(
        (state, count) -> servers.labelValues(state.name().toLowerCase(Locale.ROOT)).set(count));
  }

  @Override
  public void countedApplications(int applicationCount, int shuffleCount) {
    applications.set(applicationCount);
    shuffles.set(shuffleCount);
  }

  @Override
  public void placed(int count, long nanos) {
    partitions.inc(count);
    placing.observe(nanos * NANOS);
  }

  @Override
  public void placedTogether(Apart apart) {
    String shared =
        switch (apart) {
          case SERVER -> "host";
          case HOST -> "rack";
          case RACK -> "zone";
          case SINGLE, ZONE -> "";
        };
    if (!shared.isEmpty()) {
      together.labelValues(shared).inc();
    }
  }

  @Override
  public void expired() {
    expirations.inc();
  }
}
