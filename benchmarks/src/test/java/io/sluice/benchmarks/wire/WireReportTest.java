package io.sluice.benchmarks.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmarks.processors.Counted;
import io.sluice.transport.Transport;
import java.util.List;
import org.junit.jupiter.api.Test;

class WireReportTest {
  private static final Moved MOVED =
      new Moved(
          2_000_000_000, 0.5, 1_000_000, 4_000_000, new Usage(500_000_000, 3_000_000, 20_000));
  private static final WireFigures TURN =
      new WireFigures(MOVED, new Usage(800_000_000, 1_000_000, 10_000), 50);

  @Test
  void figuresTravelAsALine() {
    assertThat(Moved.parse(MOVED.format())).isEqualTo(MOVED);
  }

  @Test
  void figuresArePerGigabyteOfEachSide() {
    assertThat(TURN.gbps()).isEqualTo(4);
    assertThat(TURN.cpuPerGb(WireFigures.Side.client)).isEqualTo(0.25);
    assertThat(TURN.cpuPerGb(WireFigures.Side.server)).isEqualTo(0.4);
    assertThat(TURN.garbageMbPerGb(WireFigures.Side.client)).isEqualTo(1.5);
    assertThat(TURN.syscallsPerGb(WireFigures.Side.server)).isEqualTo(5000);
    assertThat(TURN.p99Millis()).isEqualTo(4);
  }

  @Test
  void everySideIsAnObject() {
    WireReport report =
        new WireReport(
            new WireCase(65536, 8, 1 << 20),
            Transport.GRPC,
            Direction.push,
            new Counted<>(List.of(TURN, TURN), 3));
    assertThat(report.json())
        .hasSize(2)
        .extracting(Object::toString)
        .allMatch(json -> json.contains("\"transport\": \"grpc\""))
        .allMatch(json -> json.contains("\"direction\": \"push\""))
        .allMatch(json -> json.contains("\"block_bytes\": 65536"))
        .allMatch(json -> json.contains("\"connections\": 8"))
        .allMatch(json -> json.contains("\"gbps\": 4"))
        .allMatch(json -> json.contains("\"p99_ms\": 4"))
        .allMatch(json -> json.contains("\"turns_left_out\": 3"))
        .allMatch(json -> json.contains("\"line_ns\": 50"))
        .satisfiesExactly(
            client -> assertThat(client).contains("\"side\": \"client\"", "\"cpu_s_per_gb\": 0.25"),
            server -> assertThat(server).contains("\"side\": \"server\"", "\"cpu_s_per_gb\": 0.4"));
  }

  @Test
  void usageOfThisProcessGrows() {
    Usage before = Usage.now();
    byte[][] garbage = new byte[64][];
    for (int i = 0; i < garbage.length; i++) {
      garbage[i] = new byte[1 << 16];
    }
    Usage used = Usage.now().since(before);
    assertThat(garbage[garbage.length - 1]).hasSize(1 << 16);
    assertThat(used.allocatedBytes()).isGreaterThan(64L << 16);
    assertThat(used.syscalls()).isPositive();
  }
}
