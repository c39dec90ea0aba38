package io.sluice.benchmarks.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmarks.processors.Counted;
import io.sluice.benchmarks.storage.disk.AccessCounts;
import io.sluice.cli.report.TextTable;
import java.util.List;
import org.junit.jupiter.api.Test;

class StorageReportTest {
  private static final StorageCase SHAPE =
      new StorageCase(200, 1, 1 << 30, 128 << 20, 4 << 20, 32 << 20, 2, 16, 16);

  @Test
  void sharesAreTakenWithinPairs() {
    // Medians alone would say 2 of 2.
    StorageReport report = report(pair(1, 2), pair(2, 4), pair(3, 1), pair(2, 2.5), pair(1.2, 2));

    assertThat(report.ratio().median()).isEqualTo(0.6);
    assertThat(report.impossible()).isFalse();
    assertThat(report.json().toString())
        .contains(
            "\"case\": \"local\"",
            "\"partitions\": 200",
            "\"phase\": \"write\"",
            "\"gbps\": 2.0000",
            "\"pct_of_floor\": 60.0000",
            "\"at_disk\": 0.9000",
            "\"write_amplification\": 1.0100",
            "\"cpu_s_per_gb\": 0.2500");
  }

  @Test
  void fasterThanTheDiskIsAnError() {
    StorageReport report = report(pair(1.06, 1), pair(2, 1), pair(0.5, 1));

    assertThat(report.impossible()).isTrue();
    assertThat(report.json().toString()).contains("\"error\": \"faster than the raw disk\"");
    TextTable table = StorageReport.table();
    report.addTo(table);
    assertThat(table.toString()).contains("IMPOSSIBLE");
  }

  @Test
  void aLittleFasterIsNoise() {
    assertThat(report(pair(1.05, 1)).impossible()).isFalse();
  }

  private static StorageReport report(PhasePair... pairs) {
    return new StorageReport("local", SHAPE, Phase.write, new Counted<>(List.of(pairs), 2));
  }

  private static PhasePair pair(double engineGbps, double floorGbps) {
    return new PhasePair(figures(engineGbps), figures(floorGbps), 60);
  }

  private static PhaseFigures figures(double gbps) {
    AccessCounts access = new AccessCounts(1, 1_000_000_000L, 0, 0, 1);
    return new PhaseFigures(
        1_000_000_000L, 1 / gbps, 0.25, 0.125, 0.9 / gbps, 1_010_000_000L, 1_000_000_000L, access);
  }
}
