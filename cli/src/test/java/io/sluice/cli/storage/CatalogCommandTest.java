package io.sluice.cli.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.ExitCode;
import io.sluice.cli.Sluices;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.segment.RecoveryReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogCommandTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  @BeforeEach
  void makeDataDirectory() throws IOException {
    Files.createDirectory(directory.resolve("segments"));
  }

  private Sluices.Outcome rebuild() {
    return Sluices.run("catalog", "rebuild", directory.toString());
  }

  /** Programs read it, too. */
  @Test
  void countsInTheSameDigitsInEveryLocale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa"));
    Sluices.Outcome outcome;
    try {
      outcome = rebuild();
    } finally {
      Locale.setDefault(before);
    }

    assertThat(outcome.isOk()).as("%s", outcome).isTrue();
    assertThat(outcome.out())
        .isEqualToIgnoringNewLines(
            directory
                + ": 0 units with 0 extents; cut 0 B behind them; removed 0 segments without any");
    assertThat(directory.resolve("catalog")).isNotEmptyDirectory();
  }

  @Test
  void tellsOfWhatItHadToSkip() {
    RecoveryReport report =
        new RecoveryReport(5, 7, 5, 2, 0, 4096, 1, 3, List.of("a", "b", "c"), List.of());

    assertThat(CatalogCommand.lines(Path.of("d"), report))
        .containsExactly(
            "d: 5 units with 7 extents; cut 4.0 KiB behind them; removed 1 segments without any",
            "d: 2 holes between units, which may have been some; readers find out, and what they miss"
                + " is computed again",
            "d: 3 files could not be read; the next start tries them again");
  }

  @Test
  void aDirectoryThatIsInUseIsLeftAlone() throws IOException {
    Path catalog = Files.createDirectory(directory.resolve("catalog"));
    Sluices.Outcome outcome;
    try (LocalDisk disk = LocalDisk.open(directory)) {
      outcome = rebuild();
      assertThat(disk.holds("catalog.new")).isFalse();
    }

    assertThat(outcome.code()).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(outcome.err()).contains(directory + " is in use");
    assertThat(catalog).isEmptyDirectory();
  }
}
