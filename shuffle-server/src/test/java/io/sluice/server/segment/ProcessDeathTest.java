package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import io.sluice.server.disk.LocalDisk;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real process with a real catalog, killed while it writes. */
class ProcessDeathTest {
  static final int LENGTH = 300_000;
  private static final int ACKNOWLEDGED_MIN = 25;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS)
  void everyAcknowledgedUnitOutlivesItsProcess() throws Exception {
    int acknowledged = runAndKill();

    try (LocalSegmentStore store =
        LocalSegmentStore.open(
            LocalDisk.open(directory), SegmentStoreContractTest.OPTIONS, 2, Clock.system())) {
      StoreDriver driver = new StoreDriver(store);
      List<Extent> extents =
          store.recovered().getOrDefault(SegmentStoreContractTest.SHUFFLE, List.of());
      assertThat(extents).hasSizeGreaterThan(acknowledged);
      for (int partition = 0; partition < extents.size(); partition++) {
        Extent extent = extents.get(partition);
        assertThat(extent.partition()).isEqualTo(partition);
        assertThat(driver.read(extent).equals(TestBlocks.extent(partition, 3, LENGTH))).isTrue();
      }
    }
  }

  /** The last partition acknowledged before the kill that was heard of. */
  private int runAndKill() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                WritingProcess.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    int last = -1;
    try (BufferedReader acknowledgements = process.inputReader(StandardCharsets.UTF_8)) {
      String line = "";
      while (last < ACKNOWLEDGED_MIN && line != null) {
        line = acknowledgements.readLine();
        last = line == null ? last : Integer.parseInt(line);
      }
      assertThat(last).as("process died too early").isEqualTo(ACKNOWLEDGED_MIN);
      // In the midst of later writes. By its handle: Process would also close its output.
      assertThat(process.toHandle().destroyForcibly()).isTrue();
      line = acknowledgements.readLine();
      while (line != null) {
        last = Integer.parseInt(line);
        line = acknowledgements.readLine();
      }
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.waitFor()).isNotZero();
    return last;
  }
}
