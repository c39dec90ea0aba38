package org.apache.spark.shuffle.sluice.driver;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import org.apache.spark.metrics.source.Source;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute.Why;

/** {@link ShuffleRoutes} as Spark's metrics system shows them, beside the driver's own sources. */
public final class RouteMetrics implements Source {
  private final MetricRegistry registry = new MetricRegistry();

  public RouteMetrics(ShuffleRoutes routes) {
    gauge("localShuffles", routes::local);
    for (Why why : Why.values()) {
      gauge("decided." + why.label(), () -> routes.decided(why));
    }
  }

  private void gauge(String name, Gauge<? extends Number> gauge) {
    registry.register(name, gauge);
  }

  @Override
  public String sourceName() {
    return "sluice";
  }

  @Override
  public MetricRegistry metricRegistry() {
    return registry;
  }
}
