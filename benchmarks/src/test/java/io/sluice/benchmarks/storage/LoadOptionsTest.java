package io.sluice.benchmarks.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class LoadOptionsTest {
  private static List<StorageCase> cases(String... arguments) {
    LoadOptions options = new LoadOptions();
    CommandLine.populateCommand(options, arguments);
    return options.cases(Device.LOCAL, note -> {});
  }

  @Test
  void memoryIsAnEighthOfTheData() {
    assertThat(cases("--data", "512m", "--partitions", "20,200"))
        .extracting(StorageCase::arena)
        .containsExactly(64L << 20, 64L << 20);
  }

  @Test
  void memoryThatIsTooSmallForAServerIsRefusedByTheNamesOfOptions() {
    for (String data : List.of("0", "256m", "511m")) {
      assertThatThrownBy(() -> cases("--data", data))
          .isInstanceOfSatisfying(
              CommandFailedException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
          .hasMessageContaining("at least 64")
          .hasMessageContaining("raise --data, of which it is an eighth, or --memory");
    }
    assertThat(cases("--data", "256m", "--memory", "64m")).hasSize(3);
  }

  @Test
  void dataThatMemoryHoldsAQuarterOfAtMostIsRefused() {
    assertThatThrownBy(() -> cases("--data", "256m", "--memory", "65m"))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("less than 4 times the memory");
  }
}
