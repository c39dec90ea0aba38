package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.service.StopSignal;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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
  void everythingThatIsWrongWithSettingsIsToldAtOnceAndNothingIsStarted(@TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("server.properties");
    Path data = directory.resolve("data");
    Files.writeString(file, "server.prot = 7410\nserver.memory = much\nserver.memory = 1g\n");
    StringWriter said = new StringWriter();
    StopSignal stop = new StopSignal(status -> {});
    CommandLine command = Sluice.command(stop).setErr(new PrintWriter(said));

    int code =
        ExitCode.run(
            command,
            "server",
            "run",
            "--config",
            file.toString(),
            "--set",
            "server.data-dirs=" + data + "," + data,
            "--set",
            "server.http.port=70000",
            "--set",
            "server.memory=10",
            "--set",
            "security.enabled=true",
            "--set",
            "server.zone=a",
            "--set",
            "server.zone=b");

    assertThat(stop.ended(code)).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(said.toString())
        .contains("8 problems")
        .contains("unknown key server.prot (" + file + "): did you mean server.port?")
        .contains("server.memory is given more than once (" + file + "): much and 1g")
        .contains("server.zone is given more than once (command line): a and b")
        .contains("server.memory = 10 (command line): not a size")
        .contains("server.http.port = 70000 (command line): out of bounds")
        .containsPattern("server.data-dirs: .* is named twice")
        .contains("security.enabled needs security.cluster-key-file")
        .contains("without TLS, who listens on the network learns secrets");
    assertThat(data).doesNotExist();
  }

  /** Whoever asks: the script for flags, the service itself, or an operator before the start. */
  @Test
  void memoryThatIsNotThereIsToldWithAllTheRest(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("server.properties");
    Files.writeString(
        file,
        "server.memory = 1000t\n"
            + "server.prot = 7410\n"
            + "server.data-dirs = "
            + directory.resolve("data")
            + "\n");
    List<Sluices.Outcome> outcomes =
        List.of(
            Sluices.run("server", "run", "--config", file.toString()),
            Sluices.run("server", "run", "--print-jvm-flags", "--config", file.toString()),
            Sluices.run("doctor", "--coordinator", "127.0.0.1:1", "--config", file.toString()));

    assertThat(outcomes)
        .extracting(Sluices.Outcome::code)
        .containsExactly(ExitCode.CONFIGURATION, ExitCode.CONFIGURATION, ExitCode.FAILED);
    assertThat(outcomes)
        .extracting(outcome -> outcome.out() + outcome.err())
        .allSatisfy(
            said ->
                assertThat(said)
                    .contains("2 problems")
                    .contains("unknown key server.prot")
                    .contains("server.memory = 1000t is more than the"));
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void seedsThatTheMemoryCannotHoldAreToldWithAllTheRest(@TempDir Path directory) {
    Path data = directory.resolve("data");
    Sluices.Outcome outcome =
        Sluices.run(
            "server",
            "run",
            "--print-jvm-flags",
            "--set",
            "server.memory=512m",
            "--set",
            "server.connections.max=100000",
            "--set",
            "server.rak=7",
            "--set",
            "server.data-dirs=" + data);

    assertThat(outcome.code()).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(outcome.err())
        .contains("2 problems")
        .contains("unknown key server.rak")
        .contains("seeds of 65536 bytes for 100000 connections take");
    assertThat(data).doesNotExist();
  }

  @Test
  void aSettingWithoutAValueIsUsage() {
    assertThat(run("server", "run", "--set", "server.memory")).isEqualTo(ExitCode.USAGE);
    assertThat(run("server", "run", "--set", "=1g")).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void aZooKeeperThatCannotBeReachedIsConfiguration(@TempDir Path directory) {
    StringWriter said = new StringWriter();
    StopSignal stop = new StopSignal(status -> {});
    CommandLine command = Sluice.command(stop).setErr(new PrintWriter(said));

    int code =
        ExitCode.run(
            command,
            "coordinator",
            "run",
            "--set",
            "coordinator.zookeeper.connect=127.0.0.1:1,no-such-host.invalid:2181",
            "--set",
            "coordinator.zookeeper.start-timeout=1s",
            "--set",
            "coordinator.port=0",
            "--set",
            "coordinator.http.port=0",
            "--set",
            "coordinator.data-dir=" + directory.resolve("data"));

    assertThat(stop.ended(code)).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(said.toString())
        .contains("coordinator.zookeeper.connect", "does ZooKeeper run there", "no such host");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void settingsAndZooKeeperAreToldOfTogetherWithoutWaiting(@TempDir Path directory) {
    Sluices.Outcome outcome =
        Sluices.run(
            "coordinator",
            "run",
            "--set",
            "coordinator.zookeper.root=/x",
            "--set",
            "coordinator.server.lost-after=30 parsecs",
            "--set",
            "coordinator.zookeeper.connect=127.0.0.1:1,no-such-host.invalid:2181",
            // Else it would be waited for.
            "--set",
            "coordinator.zookeeper.start-timeout=1h",
            "--set",
            "coordinator.data-dir=" + directory.resolve("data"));

    assertThat(outcome.code()).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(outcome.err())
        .contains("3 problems")
        .contains("unknown key coordinator.zookeper.root")
        .contains("did you mean coordinator.zookeeper.root?")
        .contains("coordinator.server.lost-after = 30 parsecs (command line)")
        .contains("coordinator.zookeeper.connect: 127.0.0.1:1: ")
        .contains("no-such-host.invalid:2181: no such host");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void placesAndTagsThatAreNoLabelsAreConfiguration(@TempDir Path directory) {
    Sluices.Outcome outcome =
        Sluices.run(
            "server",
            "run",
            "--set",
            "server.zone=eu 1",
            "--set",
            "server.tags=nvme,large disks",
            "--set",
            "server.rak=7",
            "--set",
            "server.memory=1400m",
            "--set",
            "server.data-dirs=" + directory.resolve("data"));

    assertThat(outcome.code()).isEqualTo(ExitCode.CONFIGURATION);
    assertThat(outcome.err())
        .contains("3 problems")
        .contains("server.zone = eu 1 (command line): a label has 1 to 64 letters")
        .contains(
            "server.tags = nvme,large disks (command line): element 2, \"large disks\": a label has")
        .contains("unknown key server.rak (command line): did you mean server.rack?");
    assertThat(directory).isEmptyDirectory();
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
