package io.sluice.http;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.tls.Tls;
import java.util.function.LongSupplier;

/**
 * What has become of certificates that were replaced, and of peers without the right one, the same
 * for every process.
 */
public final class CertificateMetrics {
  private CertificateMetrics() {}

  /**
   * @param prefix of the process's metrics
   */
  public static void register(PrometheusRegistry registry, String prefix, Tls tls) {
    counter(
        registry,
        prefix + "_certificate_reloads_total",
        "Times that replaced certificates were taken up.",
        tls.material()::reloads);
    counter(
        registry,
        prefix + "_certificate_reload_failures_total",
        "Times that replaced certificates could not be used, so that the old ones stayed.",
        tls.material()::failures);
    counter(
        registry,
        prefix + "_tls_handshakes_refused_total",
        "TLS handshakes that failed: peers without a certificate that is trusted here, or that"
            + " speak something else.",
        tls.refused()::count);
    GaugeWithCallback.builder()
        .name(prefix + "_certificate_expiry_timestamp_seconds")
        .help("When the certificate in use expires, in seconds since 1970.")
        .callback(callback -> callback.call((double) tls.material().endSeconds()))
        .register(registry);
  }

  private static void counter(
      PrometheusRegistry registry, String name, String help, LongSupplier value) {
    CounterWithCallback.builder()
        .name(name)
        .help(help)
        .callback(callback -> callback.call((double) value.getAsLong()))
        .register(registry);
  }
}
