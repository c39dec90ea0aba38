package io.sluice.coordinator.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedZooKeeperTest {
  private static SluiceException refusal(Path directory) {
    return catchThrowableOfType(
        SluiceException.class, () -> EmbeddedZooKeeper.start(directory).close());
  }

  @Test
  void aFileInPlaceOfItsDirectoryIsSaidInWords(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "kept");

    SluiceException refusal = refusal(file);

    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
    assertThat(refusal.detail())
        .isEqualTo(
            "cannot use %s (coordinator.data-dir): %s: a file that is no directory is in its place",
            file, file);
  }

  /** The operating system frees the lock of a process that closes the locked file once. */
  @Test
  void aSecondStartUnderAnotherNameIsRefusedAndLeavesTheLock(@TempDir Path root) throws Exception {
    Path directory = Files.createDirectories(root.resolve("here/data"));
    Path other =
        Files.createSymbolicLink(root.resolve("there"), root.resolve("here")).resolve("data");
    try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory)) {
      SluiceException refusal = refusal(other);

      assertThat(OtherCoordinator.starts(directory))
          .as("another process, beside %s", server.connectString())
          .isFalse();
      assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
      assertThat(refusal.detail())
          .isEqualTo(
              "%s (coordinator.data-dir) is in use by this process, as %s", other, directory);
    }
    // Whatever it is called.
    Path link = Files.createSymbolicLink(root.resolve("link"), directory);
    EmbeddedZooKeeper.start(link).close();
  }

  @Test
  void whyItDoesNotStartIsSaidInWords(@TempDir Path directory) throws IOException {
    Path old = directory.resolve("zookeeper.configuration1.properties");
    Files.createDirectories(old.resolve("below"));

    SluiceException refusal = refusal(directory);

    assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
    assertThat(refusal.detail())
        .isEqualTo(
            "ZooKeeper does not start in %s: %s: a directory that is not empty", directory, old);
    // It is let go of.
    Files.delete(old.resolve("below"));
    EmbeddedZooKeeper.start(directory).close();
  }
}
