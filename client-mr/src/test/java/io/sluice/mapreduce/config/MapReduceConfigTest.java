package io.sluice.mapreduce.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MapReduceConfigTest {
  private static Configuration job(String... properties) {
    Configuration conf = new Configuration(false);
    conf.set("mapreduce.sluice.coordinator.quorum", "one:7400,two:7401");
    for (int i = 0; i < properties.length; i += 2) {
      conf.set(properties[i], properties[i + 1]);
    }
    return conf;
  }

  @Test
  void defaultsNeedOnlyTheCoordinators() {
    MapReduceConfig config = MapReduceConfig.of(job());

    assertThat(config.replicas()).isEqualTo(1);
    assertThat(config.blockBytes()).isEqualTo(256 << 10);
    assertThat(config.lease()).isEqualTo(Duration.ofHours(24));
    assertThat(config.securityEnabled()).isFalse();
    assertThat(config.secret()).isEmpty();
    assertThat(config.openTls()).isEmpty();
    assertThat(config.client().maxInFlightBytes()).isEqualTo(8 << 20);
    assertThat(config.client().readerCreditBytes()).isEqualTo(8 << 20);
    assertThat(config.client().maxSpanningRecordBytes())
        .isEqualTo(Runtime.getRuntime().maxMemory() / 4);
    assertThat(config.client().transport()).isEqualTo(Transport.NETTY);
    assertThat(config.client().reconnectDeadline()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.coordinators().callDeadline()).isEqualTo(Duration.ofMinutes(2));
  }

  @Test
  void everySettingArrives() {
    Map<String, String> given =
        Map.ofEntries(
            Map.entry("mapreduce.sluice.replicas", "2"),
            Map.entry("mapreduce.sluice.placement", "packed"),
            Map.entry("mapreduce.sluice.placement.tags", "nvme,large"),
            Map.entry("mapreduce.sluice.placement.zone", "eu-1a"),
            Map.entry("mapreduce.sluice.block.size", "64k"),
            Map.entry("mapreduce.sluice.write.in-flight", "16m"),
            Map.entry("mapreduce.sluice.read.in-flight", "32m"),
            Map.entry("mapreduce.sluice.transport", "grpc"),
            Map.entry("mapreduce.sluice.connect-timeout", "1s"),
            Map.entry("mapreduce.sluice.suspect-after", "2s"),
            Map.entry("mapreduce.sluice.reconnect-deadline", "3s"),
            Map.entry("mapreduce.sluice.block-deadline", "4s"),
            Map.entry("mapreduce.sluice.coordinator.deadline", "5s"),
            Map.entry("mapreduce.sluice.lease", "6m"),
            Map.entry("mapreduce.sluice.security.enabled", "true"),
            Map.entry("mapreduce.sluice.secret", "s".repeat(32)));
    Configuration job = job();
    given.forEach(job::set);
    MapReduceConfig config = MapReduceConfig.of(job);

    assertThat(config.replicas()).isEqualTo(2);
    assertThat(config.placementWishes())
        .isEqualTo(
            new PlacementWishes(
                    Optional.of(PlacementStyle.PACKED), List.of("large", "nvme"), "eu-1a")
                .withGrpc(true));
    assertThat(config.blockBytes()).isEqualTo(64 << 10);
    assertThat(config.client().maxBlockBytes()).isEqualTo(64 << 10);
    assertThat(config.client().maxInFlightBytes()).isEqualTo(16 << 20);
    assertThat(config.client().readerCreditBytes()).isEqualTo(32 << 20);
    assertThat(config.client().transport()).isEqualTo(Transport.GRPC);
    assertThat(config.client().connectTimeout()).isEqualTo(Duration.ofSeconds(1));
    assertThat(config.client().suspectAfter()).isEqualTo(Duration.ofSeconds(2));
    assertThat(config.client().reconnectDeadline()).isEqualTo(Duration.ofSeconds(3));
    assertThat(config.client().blockDeadline()).isEqualTo(Duration.ofSeconds(4));
    assertThat(config.coordinators().callDeadline()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.lease()).isEqualTo(Duration.ofMinutes(6));
    assertThat(config.securityEnabled()).isTrue();
    assertThat(config.secret()).contains("s".repeat(32));
    Set<String> untested = new HashSet<>();
    MapReduceKeys.SECTION.keys().stream().map(ConfigKey::name).forEach(untested::add);
    untested.removeAll(given.keySet());
    untested.removeIf(name -> name.contains(".tls.") || name.endsWith(".quorum"));
    assertThat(untested).isEmpty();
  }

  @Test
  void saysEverythingThatIsWrongAtOnce() {
    Configuration job = job("mapreduce.sluice.replica", "2", "mapreduce.sluice.block.size", "1g");

    assertThatThrownBy(() -> MapReduceConfig.of(job))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("2 problems")
        .hasMessageContaining("did you mean mapreduce.sluice.replicas?")
        .hasMessageContaining("mapreduce.sluice.block.size");
  }

  @Test
  void whatContradictsTheJobOrWouldProtectNothingIsToldWithTheRest() {
    Configuration job =
        job(
            "mapreduce.job.encrypted-intermediate-data", "true",
            "mapreduce.task.timeout", "60000",
            "mapreduce.sluice.block-deadline", "1h",
            "mapreduce.sluice.secret", "short",
            "mapreduce.sluice.tls.trust-file", "/nowhere/authority.pem",
            "mapreduce.sluice.replicas", "9");

    assertThatThrownBy(() -> MapReduceConfig.of(job))
        .hasMessageContaining("6 problems")
        .hasMessageContaining("encrypted-intermediate-data=true")
        .hasMessageContaining("block-deadline must be less than mapreduce.task.timeout, 60000 ms")
        .hasMessageContaining("secret is given, and mapreduce.sluice.security.enabled is not true")
        .hasMessageContaining("secret needs at least 32 letters")
        .hasMessageContaining("trust-file is given, and mapreduce.sluice.tls.enabled is not true")
        .hasMessageContaining("mapreduce.sluice.replicas = 9");
    // The default makes way.
    assertThat(MapReduceConfig.of(job("mapreduce.task.timeout", "60000")).client().blockDeadline())
        .isEqualTo(Duration.ofSeconds(45));
    // No timeout at all.
    assertThat(
            MapReduceConfig.of(
                job("mapreduce.task.timeout", "0", "mapreduce.sluice.block-deadline", "1h")))
        .isNotNull();
  }

  private static final String COLLECTOR = "mapreduce.job.map.output.collector.class";
  private static final String CONSUMER = "mapreduce.job.reduce.shuffle.consumer.plugin.class";

  @Test
  void whateverEitherPlugInWouldFindWrongIsToldByTheFirstTask(@TempDir Path directory)
      throws IOException {
    Path noAuthority = Files.writeString(directory.resolve("empty.pem"), "");
    Configuration job =
        job(
            COLLECTOR,
            "io.sluice.mapreduce.SluiceMapOutputCollector",
            "mapreduce.task.io.sort.mb",
            "4096",
            "mapreduce.reduce.shuffle.merge.percent",
            "1.5",
            "mapreduce.reduce.shuffle.input.buffer.percent",
            "most",
            "mapreduce.sluice.replica",
            "2",
            "mapreduce.sluice.block.size",
            "1g",
            "mapreduce.task.timeout",
            "soon",
            "mapreduce.sluice.tls.enabled",
            "true",
            "mapreduce.sluice.tls.trust-file",
            noAuthority.toString(),
            "mapreduce.sluice.secret",
            "s".repeat(32));

    assertThatThrownBy(() -> MapReduceConfig.ofTask(job))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("9 problems")
        .hasMessageContaining("mapreduce.task.timeout = soon: no number of milliseconds")
        .hasMessageContaining("trust-file = " + noAuthority + ": there is no certificate in it")
        .hasMessageContaining(CONSUMER + "=\"\": the two plug-ins of Sluice go together")
        .hasMessageContaining("mapreduce.task.io.sort.mb=4096 is not 1 to 2047")
        .hasMessageContaining("mapreduce.reduce.shuffle.merge.percent=1.5 is not 0 to 1")
        .hasMessageContaining("mapreduce.reduce.shuffle.input.buffer.percent=most is not 0 to 1")
        .hasMessageContaining("did you mean mapreduce.sluice.replicas?")
        .hasMessageContaining("mapreduce.sluice.block.size = 1g")
        .hasMessageContaining("secret is given, and mapreduce.sluice.security.enabled is not true");
  }

  @Test
  void sortBuffersAreNumbersOfMebibytesWithinAnArray() {
    assertThat(JobMemory.sortBytes(job())).isEqualTo(100 << 20);
    assertThat(JobMemory.sortBytes(job("mapreduce.task.io.sort.mb", " 2047 ")))
        .isEqualTo(2047 << 20);
    for (String wrong : List.of("0", "-1", "2048", "much", "1.5")) {
      assertThatThrownBy(() -> JobMemory.sortBytes(job("mapreduce.task.io.sort.mb", wrong)))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("mapreduce.task.io.sort.mb=" + wrong + " is not 1 to 2047");
    }
  }

  @Test
  void whoOnlyEndsAJobNeedsNoPlugIns() {
    assertThat(MapReduceConfig.of(job("mapreduce.task.io.sort.mb", "0")).replicas()).isEqualTo(1);
    assertThat(
            MapReduceConfig.ofTask(
                    job(
                        COLLECTOR, "io.sluice.mapreduce.SluiceMapOutputCollector",
                        CONSUMER, "io.sluice.mapreduce.SluiceShuffle"))
                .replicas())
        .isEqualTo(1);
  }

  @Test
  void refusesToStoreUnencryptedWhatTheJobWantsEncrypted() {
    assertThatThrownBy(
            () -> MapReduceConfig.of(job("mapreduce.job.encrypted-intermediate-data", "true")))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("encrypted-intermediate-data");
  }

  @Test
  void variablesInValuesAreReplacedAsElsewhereInHadoop() {
    Configuration job = job("copies", "3", "mapreduce.sluice.replicas", "${copies}");

    assertThat(MapReduceConfig.of(job).replicas()).isEqualTo(3);
  }

  @Test
  void refusesACoordinatorThatIsNamedTwice() {
    Configuration job = job("mapreduce.sluice.coordinator.quorum", "one:7400,two:7400,one:7400");

    assertThatThrownBy(() -> MapReduceConfig.of(job))
        .hasMessageContaining("element 3, \"one:7400\", is in the list already");
  }
}
