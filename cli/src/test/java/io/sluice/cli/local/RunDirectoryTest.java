package io.sluice.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RunDirectoryTest {
  @Test
  void removesWhatWasWritten() throws Exception {
    RunDirectory directory = RunDirectory.create("sluice-test-", false);
    Files.createDirectories(directory.path().resolve("a/b"));
    Files.createFile(directory.path().resolve("a/b/file"));

    directory.discard();

    assertThat(directory.path()).doesNotExist();
  }

  @Test
  void keepsWhatIsToBeLookedAt() throws Exception {
    RunDirectory directory = RunDirectory.create("sluice-test-", true);
    Path file = Files.createFile(directory.path().resolve("file"));

    directory.discard();

    assertThat(file).exists();
    Files.delete(file);
    Files.delete(directory.path());
  }

  @Test
  void doesNotKeepAnEmptyDirectory() throws Exception {
    RunDirectory directory = RunDirectory.create("sluice-test-", false);
    directory.keep();

    assertThat(directory.kept()).isFalse();
    directory.discard();

    assertThat(directory.path()).doesNotExist();
  }
}
