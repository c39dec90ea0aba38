package io.sluice.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.DataSize;
import io.sluice.server.config.ProcessMemory;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerJvmTest {
  private static final long MIB = 1 << 20;
  private static final DataSize BUDGET = DataSize.parse("4g");

  private static ProcessMemory with(String options) {
    return ServerJvm.memoryToCome(BUDGET, Map.of("SLUICE_JAVA_OPTS", options));
  }

  @Test
  void aJvmToComeHasWhatItsFlagsSayAndALittleLessHeap() {
    ProcessMemory flags = ServerJvm.memory(BUDGET);
    ProcessMemory come = ServerJvm.memoryToCome(BUDGET, Map.of());

    assertThat(come.direct()).isEqualTo(flags.direct()).isEqualTo(4096 * MIB);
    assertThat(come.machine()).isEqualTo(flags.machine());
    assertThat(flags.heap()).isEqualTo(512 * MIB);
    assertThat(come.heap()).isBetween(490 * MIB, 495 * MIB);
  }

  @Test
  void theOperatorsOptionsWinAndOfThoseTheLast() {
    assertThat(with("-Xmx64m -Dx=y  -Xmx300m").heap()).isBetween(285 * MIB, 290 * MIB);
    assertThat(with("-XX:MaxHeapSize=314572800").heap()).isBetween(285 * MIB, 290 * MIB);
    assertThat(with("-XX:MaxDirectMemorySize=1G").direct()).isEqualTo(1024 * MIB);
    assertThat(with("-XX:MaxDirectMemorySize=2048K -Xms1g").direct()).isEqualTo(2 * MIB);
    assertThat(with("-Dsluice.log.level=debug")).isEqualTo(with(""));
  }
}
