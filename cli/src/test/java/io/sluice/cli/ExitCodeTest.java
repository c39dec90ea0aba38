package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.service.StopSignal;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExitCodeTest {
  private static int run(String... args) {
    StopSignal stop = new StopSignal(status -> {});
    return stop.ended(Sluice.run(stop, args));
  }

  @Test
  void wrongArgumentsAreUsage() {
    assertThat(run("quickstart", "--rows", "many")).isEqualTo(ExitCode.USAGE);
    assertThat(run("quickstart", "--server-memory", "much")).isEqualTo(ExitCode.USAGE);
    assertThat(run("quickstart", "--rows", "0")).isEqualTo(ExitCode.USAGE);
    assertThat(run("nonsense")).isEqualTo(ExitCode.USAGE);
    assertThat(run()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void wrongSettingsAreConfiguration() {
    assertThat(run("coordinator", "run", "--set", "coordinator.prt=1"))
        .isEqualTo(ExitCode.CONFIGURATION);
    assertThat(run("coordinator", "run", "--config", "/no/such/file"))
        .isEqualTo(ExitCode.CONFIGURATION);
  }

  @Test
  void nobodyAnsweringIsUnavailable() {
    assertThat(run("cluster", "status", "--coordinator", "127.0.0.1:1"))
        .isEqualTo(ExitCode.UNAVAILABLE);
  }

  @Test
  void aPortInUseIsUnavailable(@TempDir Path directory) throws IOException {
    try (ServerSocket taken = new ServerSocket(0)) {
      assertThat(
              run(
                  "coordinator",
                  "run",
                  "--set",
                  "coordinator.data-dir=" + directory,
                  "--set",
                  "coordinator.port=" + taken.getLocalPort()))
          .isEqualTo(ExitCode.UNAVAILABLE);
    }
  }

  @Test
  void helpIsFine() {
    assertThat(run("--help")).isZero();
    assertThat(run("quickstart", "--help")).isZero();
  }

  @Test
  void codesFollowTheBlame() {
    assertThat(ExitCode.of(new SluiceException(ErrorCode.NO_DISK_SPACE, "full")))
        .isEqualTo(ExitCode.IO_ERROR);
    assertThat(ExitCode.of(new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "gone")))
        .isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(ExitCode.of(new SluiceException(ErrorCode.INTERNAL_ERROR, "bug")))
        .isEqualTo(ExitCode.SOFTWARE);
    assertThat(ExitCode.of(new SluiceException(ErrorCode.DATA_LOST, "not saved")))
        .isEqualTo(ExitCode.IO_ERROR);
    assertThat(ExitCode.of(new IOException("no space left"))).isEqualTo(ExitCode.IO_ERROR);
    assertThat(ExitCode.of(new IllegalStateException("bug"))).isEqualTo(ExitCode.SOFTWARE);
  }
}
