package io.sluice.common.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
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
        .startsWith(
            "pump.directory: directory /proc/no/pump cannot be used: none can be made in /proc")
        .doesNotContain(".sluice-check");
    assertThat(Path.of("/proc/no")).doesNotExist();
  }

  /** Denies as it is told. */
  private record Denied(boolean isOpen, boolean isWritable, @Nullable String reason)
      implements DirectoryCheck.Access {
    @Override
    public boolean isOpen(Path directory) {
      return isOpen;
    }

    @Override
    public boolean isWritable(Path directory) {
      return isWritable;
    }

    @Override
    public void tryToMakeOneIn(Path directory) throws IOException {
      String made = directory.resolve("made-up").toString();
      if (reason == null) {
        throw new AccessDeniedException(made);
      }
      throw new FileSystemException(made, null, reason);
    }
  }

  @Test
  void whatIsDeniedIsSaidWithoutAnyNameThatNobodyKnows(@TempDir Path directory) {
    String there = "pump.directory: directory " + directory + " cannot be used: ";
    assertThat(DirectoryCheck.problem(KEY, directory, new Denied(true, true, null))).isEmpty();
    assertThat(DirectoryCheck.problem(KEY, directory, new Denied(false, true, null)))
        .hasValue(there + "permission denied");
    assertThat(DirectoryCheck.problem(KEY, directory, new Denied(true, false, null)))
        .hasValue(there + "permission denied");
    assertThat(DirectoryCheck.problem(KEY, directory, new Denied(true, false, "no room")))
        .hasValue(there + "no room");

    Path below = directory.resolve("below");
    assertThat(DirectoryCheck.problem(KEY, below, new Denied(true, true, null)))
        .hasValue(
            "pump.directory: directory "
                + below
                + " cannot be used: none can be made in "
                + directory
                + ": permission denied");
  }

  @Test
  void aFileSystemThatIsReadOnlyIsCalledThat(@TempDir Path directory) {
    String[] mount = {"mount", "-t", "tmpfs", "-o", "ro", "sluice-test", directory.toString()};
    Assumptions.assumeTrue(run(mount), "mounting a tmpfs is not permitted here");
    try {
      assertThat(DirectoryCheck.problem(KEY, directory))
          .hasValue(
              "pump.directory: directory " + directory + " cannot be used: Read-only file system");
      assertThat(DirectoryCheck.problem(KEY, directory.resolve("below")).orElseThrow())
          .endsWith("none can be made in " + directory + ": Read-only file system");
    } finally {
      assertThat(run("umount", directory.toString())).isTrue();
    }
  }

  private static boolean run(String... command) {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException noSuchCommand) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
