package io.sluice.benchmarks.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FloorOptionsTest {
  private static final Path DIRECTORY = Path.of("raw");

  private static List<String> arguments(String... options) {
    LoadOptions load = new LoadOptions();
    CommandLine.populateCommand(load, "--data", "4g", "--partitions", "200");
    StorageCase shape = load.cases(Device.LOCAL, note -> {}).get(0);
    FloorOptions floor = new FloorOptions();
    CommandLine.populateCommand(floor, options);
    floor.check(List.of(shape));
    return floor.arguments(DIRECTORY, shape, true);
  }

  @Test
  void theRawDiskIsUsedAsTheEngineUsesIt() {
    assertThat(arguments().subList(3, 9))
        .containsExactly("4", "4194304", "6", "8", "1048576", "48");
  }

  @Test
  void anythingElseIsTakenByItsName() {
    String[] other = {"--floor-writes", "2", "--floor-reads", "3", "--floor-read-unit", "4m"};

    assertThat(arguments(other).subList(3, 9))
        .containsExactly("2", "4194304", "6", "3", "4194304", "12");
    assertThat(arguments("--floor-read-memory", "64m", "--floor-write-memory", "16m").subList(3, 9))
        .containsExactly("4", "4194304", "4", "8", "1048576", "64");
  }

  @Test
  void memoryForLessThanIsUnderWayIsRefused() {
    for (String option : List.of("--floor-read-memory", "--floor-write-memory")) {
      assertThatThrownBy(() -> arguments(option, "7m"))
          .isInstanceOf(CommandFailedException.class)
          .hasMessageContaining(option);
    }
  }

  @Test
  void readsThatAreNoWholePartOfAUnitAreRefused() {
    for (String size : List.of("3m", "8m", "6k", "2k")) {
      assertThatThrownBy(() -> arguments("--floor-read-unit", size))
          .isInstanceOfSatisfying(
              CommandFailedException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
          .hasMessageContaining("--floor-read-unit");
    }
  }

  @Test
  void moreThanAProcessCanHaveIsRefused() {
    assertThatThrownBy(() -> arguments("--floor-read-memory", "2g"))
        .isInstanceOf(CommandFailedException.class)
        .hasMessageContaining("at most 1");
  }
}
