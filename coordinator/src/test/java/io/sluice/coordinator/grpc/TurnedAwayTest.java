package io.sluice.coordinator.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.sluice.coordinator.testing.ManualScheduler;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TurnedAwayTest {
  @Test
  void allAreCountedAndSaidOnceAMinute() {
    PrometheusRegistry registry = new PrometheusRegistry();
    ManualScheduler time = new ManualScheduler();
    TurnedAway away = new TurnedAway(registry, time);
    InetAddress from = InetAddress.getLoopbackAddress();

    assertThat(away.note(from)).isEqualTo(1);
    assertThat(away.note(from)).isZero();
    assertThat(away.note(from)).isZero();
    time.stall(1, TimeUnit.MINUTES);
    assertThat(away.note(from)).isEqualTo(3);

    CounterSnapshot counted = (CounterSnapshot) registry.scrape().get(0);
    assertThat(counted.getDataPoints())
        .singleElement()
        .satisfies(point -> assertThat(point.getValue()).isEqualTo(4));
  }
}
