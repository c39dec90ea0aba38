package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.Settings;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.SecurityConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only sums and machines tell is on the one list of problems, once. */
class ServerChecksTest {
  private static final long MIB = 1 << 20;
  private static final ProcessMemory PROCESS =
      new ProcessMemory(64 * MIB, 4096 * MIB, 16_384 * MIB);

  private static ConfigReader reader(ProcessMemory process, Map<String, String> values) {
    ConfigReader reader = new ConfigReader(List.of(ServerConfig.SECTION, SecurityConfig.SECTION));
    ServerChecks.of(budget -> process).forEach(reader::check);
    return reader.values("test", Map.of("server.event-loops", "2")).values("test", values);
  }

  private static String refusal(Map<String, String> values) {
    return refusal(PROCESS, values);
  }

  private static String refusal(ProcessMemory process, Map<String, String> values) {
    SluiceException refusal =
        catchThrowableOfType(SluiceException.class, () -> reader(process, values).read());
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
    return refusal.detail();
  }

  @Test
  void aBudgetBeyondTheMachineIsToldWithAllTheRest() {
    assertThat(
            refusal(
                Map.of(
                    "server.memory", "17g",
                    "server.flush.start", "7",
                    "server.disk.unit", "some",
                    "server.data-dirs", "/a,/a",
                    "server.prot", "1")))
        .contains("5 problems")
        .contains("server.memory = 17g is more than the 16g of the machine or its cgroup")
        .contains("unknown key server.prot")
        .contains("server.flush.start = 7")
        .contains("server.disk.unit = some")
        .contains("server.data-dirs: /a is named twice");
  }

  @Test
  void aBudgetBeyondTheMachineIsOneProblem() {
    // It needs more direct memory than the JVM allows, too.
    assertThat(refusal(Map.of("server.memory", "1t"))).contains("1 problem\n").contains("machine");
    assertThat(refusal(new ProcessMemory(20 * MIB, MIB, 128 * MIB), Map.of("server.memory", "1g")))
        .contains("1 problem\n")
        .contains("more than the 128m of the machine");
  }

  @Test
  void seedsAreHeldAgainstWhatTheBudgetLeavesAndToldWithAllTheRest() {
    assertThat(
            refusal(
                Map.of(
                    "server.memory", "512m",
                    "server.connections.max", "2000",
                    "server.connections.seed", "256k",
                    "server.credit.idle", "never")))
        .contains("2 problems")
        .contains("server.credit.idle = never")
        .contains("seeds of 262144 bytes for 2000 connections take 524288000 bytes, more than half")
        .contains("raise server.memory, or lower server.connections.seed or");
    assertThat(
            refusal(
                Map.of(
                    "server.memory", "256m",
                    "server.event-loops", "16",
                    "server.block.max", "16m",
                    "server.disk.unit", "64m",
                    "server.connections.max", "1500",
                    "server.connections.seed", "16k")))
        .contains("1 problem\n")
        .contains("cannot hold two blocks of 16777216 bytes");
  }

  @Test
  void seedsThatAreNoWholePagesAreStillSummedUp() {
    assertThat(
            refusal(
                Map.of(
                    "server.memory", "512m",
                    "server.connections.max", "2000",
                    "server.connections.seed", "300000b")))
        .contains("2 problems")
        .contains("server.connections.seed must be a multiple of 4k")
        .contains("more than half of the arena");
  }

  @Test
  void whereNothingIsLeftSeedsAreNoOtherProblem() {
    assertThat(
            refusal(
                new ProcessMemory(480 * MIB, 4096 * MIB, 16_384 * MIB),
                Map.of("server.memory", "512m")))
        .contains("1 problem\n")
        .contains("leaves nothing for data");
  }

  @Test
  void aJvmThatAllowsTooLittleIsToldWithAllTheRest() {
    assertThat(
            refusal(
                new ProcessMemory(64 * MIB, 64 * MIB, 16_384 * MIB),
                Map.of("server.memory", "2g", "server.zone", "a b")))
        .contains("2 problems")
        .contains("server.zone = a b")
        .contains("raise -XX:MaxDirectMemorySize");
  }

  @Test
  void whatEncryptedConnectionsTakeCounts() {
    Map<String, String> tight = Map.of("server.memory", "300m", "server.connections.max", "512");
    assertThat(reader(PROCESS, tight).read().get(ServerConfig.MAX_CONNECTIONS)).isEqualTo(512);
    assertThat(
            catchThrowableOfType(
                    SluiceException.class,
                    () ->
                        reader(PROCESS, tight)
                            .values(
                                "test",
                                Map.of(
                                    "security.tls.certificate-file", "/c",
                                    "security.tls.key-file", "/k"))
                            .read())
                .detail())
        .contains("1 problem\n")
        .contains("leaves nothing for data");
  }

  @Test
  void unitsThatNoDiskTakesHideNothingButTheirOwnSum() {
    assertThat(refusal(Map.of("server.memory", "17g", "server.disk.unit", "5000001b")))
        .contains("2 problems")
        .contains("server.disk.unit must be a multiple of 4k")
        .contains("more than the 16g of the machine");
  }

  @Test
  void secretsThatWouldCrossTheNetworkInTheClearAreToldWithAllTheRest() {
    assertThat(
            refusal(
                Map.of("security.enabled", "true", "server.memory", "17g", "server.port", "-1")))
        .contains("4 problems")
        .contains("security.enabled needs security.cluster-key-file")
        .contains("without TLS, who listens on the network learns secrets")
        .contains("or server.bind-address to a loopback address")
        .contains("server.port = -1")
        .contains("more than the 16g of the machine");
    assertThat(
            refusal(
                Map.of(
                    "security.enabled", "true",
                    "server.bind-address", "127.0.0.1",
                    "server.memory", "1g")))
        .contains("1 problem\n");
  }

  @Test
  void theDivisionDependsOnNoOtherSettings() {
    Map<String, String> all = ServerConfigTest.everyKey();
    Settings settings = new ConfigReader(List.of(ServerConfig.SECTION)).values("test", all).read();
    ServerConfig whole = ServerConfig.from(settings);
    ServerConfig part = ServerConfig.from(settings.withOnly(ServerChecks.DIVISION));

    assertThat(part).isNotEqualTo(whole);
    assertThat(MemoryPlan.divide(part, PROCESS, true))
        .isEqualTo(MemoryPlan.divide(whole, PROCESS, true))
        .isNotEqualTo(
            MemoryPlan.divide(ServerConfig.from(settings.withOnly(List.of())), PROCESS, true));
  }

  @Test
  void directoriesThatCannotBeUsedAreToldIfNoneCan(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    String broken = "ssd:" + file + ",/proc/no/disk";

    assertThatThrownBy(() -> readWithDirectories(broken))
        .hasMessageContaining("2 problems")
        .hasMessageContaining("server.data-dirs: directory " + file)
        .hasMessageContaining("server.data-dirs: directory /proc/no/disk");
    assertThat(readWithDirectories(broken + "," + directory.resolve("good"))).hasSize(3);
  }

  private static List<DataDir> readWithDirectories(String dirs) {
    ConfigReader reader =
        new ConfigReader(List.of(ServerConfig.SECTION))
            .values("test", Map.of("server.data-dirs", dirs));
    ServerChecks.PLACES.forEach(reader::check);
    return reader.read().get(ServerConfig.DATA_DIRS).orElseThrow();
  }

  @Test
  void directoriesThatAreOrHoldOthersAreRefusedHoweverTheyAreWritten() {
    assertThat(
            refusal(
                Map.of(
                    "server.memory",
                    "1g",
                    "server.data-dirs",
                    "d/a,hdd:./d/a,/x/segments/y,ssd:/x,/x/disk2")))
        .contains("2 problems")
        .contains("server.data-dirs: ./d/a is named twice")
        .contains("server.data-dirs: /x/segments/y is within /x");
  }

  @Test
  void hadoopsConfigurationIsFilesOrFoldersAndAKeytabIsAFile(@TempDir Path folder)
      throws IOException {
    Path file = Files.writeString(folder.resolve("core-site.xml"), "<configuration/>");
    Map<String, String> right =
        Map.of(
            "server.hdfs.root",
            "hdfs://namenode/sluice",
            "server.hdfs.configuration",
            folder + "," + file,
            "server.hdfs.principal",
            "sluice",
            "server.hdfs.keytab",
            file.toString());
    assertThat(files(right).read().get(TierConfig.HDFS_CONFIGURATION)).isPresent();

    Map<String, String> wrong =
        Map.of(
            "server.hdfs.root",
            "hdfs://namenode/sluice",
            "server.hdfs.configuration",
            folder.resolve("none") + "," + folder,
            "server.hdfs.principal",
            "sluice",
            "server.hdfs.keytab",
            folder.toString());
    assertThatThrownBy(() -> files(wrong).read())
        .hasMessageContaining("2 problems")
        .hasMessageContaining("server.hdfs.configuration cannot be read: " + folder.resolve("none"))
        .hasMessageContaining("server.hdfs.keytab cannot be read: " + folder + ": a directory");
  }

  private static ConfigReader files(Map<String, String> values) {
    ConfigReader reader = new ConfigReader(List.of(ServerConfig.SECTION));
    ServerChecks.FILES.forEach(reader::check);
    return reader.values("test", values);
  }
}
