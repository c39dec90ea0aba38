package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The units of {@code deploy/systemd}, as systemd itself judges them. */
class SystemdUnitsTest {
  /** systemd counts in tenths: 4.0. */
  private static final String EXPOSURE_MAX = "40";

  private final Path directory;

  SystemdUnitsTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @ParameterizedTest
  @ValueSource(strings = {"coordinator", "server"})
  void nothingIsWrongWithAUnit(String service) throws Exception {
    Tool analyze = Tool.orSkip("systemd-analyze");

    Tool.Outcome outcome =
        analyze.run(directory, Map.of(), "verify", "--man=no", unit(service).toString());

    assertThat(outcome.orFail()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"coordinator", "server"})
  void aUnitMayDoLittle(String service) throws Exception {
    Tool analyze = Tool.orSkip("systemd-analyze");

    String report =
        analyze
            .run(
                directory,
                Map.of(),
                "security",
                "--offline=true",
                "--no-pager",
                "--threshold=" + EXPOSURE_MAX,
                unit(service).toString())
            .orFail();

    assertThat(report).contains("Overall exposure level for sluice-" + service + ".service");
  }

  @Test
  void theUserAndTheFoldersOfTheUnitsAreMade() throws Exception {
    Assumptions.assumeTrue(
        "root".equals(System.getProperty("user.name")), "only root gives files to others");
    Path root = Files.createDirectories(directory.resolve("root"));
    Files.createDirectory(root.resolve("etc"));
    Tool.orSkip("systemd-sysusers")
        .run("--root=" + root, source("sluice.sysusers.conf").toString())
        .orFail();

    assertThat(Files.readString(root.resolve("etc/passwd")))
        .contains("sluice:x:")
        .contains("/var/lib/sluice");
    Tool.orSkip("systemd-tmpfiles")
        .run("--root=" + root, "--create", source("sluice.tmpfiles.conf").toString())
        .orFail();
    assertThat(root.resolve("etc/sluice")).isDirectory();
    assertThat(root.resolve("var/lib/sluice")).isDirectory();
  }

  /** A coordinator is tried again after 78: ZooKeeper that cannot be reached may be there later. */
  @ParameterizedTest
  @CsvSource({"coordinator, 64", "server, 64 74 78"})
  void aUnitKnowsTheExitCodesThatRestartingDoesNotMend(String service, String codes)
      throws IOException {
    List<String> lines = Files.readAllLines(source("sluice-" + service + ".service"));

    assertThat(lines).contains("Type=notify", "NotifyAccess=main", "SuccessExitStatus=143");
    assertThat(lines)
        .contains("Restart=on-failure", "RestartPreventExitStatus=" + codes)
        .as("tried for ever, calmly")
        .contains("StartLimitIntervalSec=0", "RestartSec=10s")
        .noneMatch(line -> line.startsWith("StartLimitBurst="));
  }

  /** With the program where it is here. */
  private Path unit(String service) throws IOException {
    String name = "sluice-" + service + ".service";
    String text = Files.readString(source(name));
    assertThat(text).contains("ExecStart=/opt/sluice/bin/sluice " + service + " run");
    return Files.writeString(
        directory.resolve(name),
        text.replace("/opt/sluice/", Distribution.sources().toString() + "/"));
  }

  private static Path source(String name) {
    return Distribution.file("deploy/systemd/" + name);
  }
}
