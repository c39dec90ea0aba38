package io.sluice.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MetricsPageTest {
  private static final MetricsPage PAGE =
      new MetricsPage(
          """
          # HELP pushed_total bytes
          pushed_total 1.5E9
          pushed_total_created 7
          disk_bytes{disk="/a"} 10.0
          disk_bytes{disk="/b c"} 5.0
          """);

  @Test
  void readsOneMetric() {
    assertThat(PAGE.sum("pushed_total")).isEqualTo(1.5e9);
  }

  @Test
  void addsUpLabels() {
    assertThat(PAGE.sum("disk_bytes")).isEqualTo(15);
  }

  @Test
  void namesWhatHasASample() {
    assertThat(PAGE.names()).containsExactly("disk_bytes", "pushed_total", "pushed_total_created");
  }

  @Test
  void saysWhenAMetricIsMissing() {
    assertThatThrownBy(() -> PAGE.sum("pushed")).hasMessageContaining("no metric pushed");
  }
}
