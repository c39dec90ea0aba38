package io.sluice.common.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryCheckTest {
  private static final ConfigKey<Optional<Path>> KEY =
      ConfigKey.path("pump.directory").doc("Directory.").optional();

  @Test
  void whatIsThereAndWhatCanBeMadeIsOfUseAndNothingIsLeftBehind(@TempDir Path directory)
      throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "kept");

    assertThat(DirectoryCheck.problem(KEY, directory)).isEmpty();
    assertThat(DirectoryCheck.problem(KEY, directory.resolve("a/b/c"))).isEmpty();
    Path nowhere = Files.createSymbolicLink(directory.resolve("link"), Path.of("/no/where"));
    assertThat(DirectoryCheck.problem(KEY, nowhere)).isPresent();
    Files.delete(nowhere);

    assertThat(directory).isDirectoryNotContaining(path -> !path.equals(file));
    assertThat(file).hasContent("kept");
  }

  @Test
  void aFileInItsPlaceOrOnTheWayIsSaid(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "kept");

    assertThat(DirectoryCheck.problem(KEY, file).orElseThrow())
        .contains("pump.directory", file.toString(), "not a directory");
    assertThat(DirectoryCheck.problem(KEY, file.resolve("below")).orElseThrow())
        .contains("pump.directory", file.resolve("below").toString(), file + ": not a directory");
    assertThat(file).hasContent("kept");
  }

  @Test
  void whereNobodyCanMakeOneEvenWhoMayDoAllIsTold() {
    assertThat(DirectoryCheck.problem(KEY, Path.of("/proc/no/pump")).orElseThrow())
        .contains("pump.directory", "none can be made in /proc");
    assertThat(Path.of("/proc/no")).doesNotExist();
  }
}
