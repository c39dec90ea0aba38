package org.apache.spark.shuffle.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.ClientConfig;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SluiceConfigTest {
  private static final String QUORUM = "spark.sluice.coordinator.quorum";

  @Test
  void needsOnlyTheCoordinators() {
    SluiceConfig config = config(Map.of());
    assertThat(config.coordinators())
        .containsExactly(new HostPort("one", 1), new HostPort("two", 2));
    assertThat(config.codec()).isEqualTo("lz4");
    assertThat(config.coordinatorDeadline()).isEqualTo(Duration.ofMinutes(2));
    ClientConfig client = config.clientConfig();
    assertThat(client.maxBlockBytes()).isEqualTo(320 * 1024);
    assertThat(client.frameBytes()).isEqualTo(320 * 1024);
    assertThat(client.maxInFlightBytes()).isEqualTo(8 << 20);
    assertThat(client.readerCreditBytes()).isEqualTo(16 << 20);
    assertThat(client.transport()).isEqualTo(Transport.NETTY);
    assertThat(client.connectionsPerServer()).isEqualTo(1);
    assertThat(config.replicas()).isEqualTo(1);
    assertThat(config.fallback()).isEqualTo(FallbackPolicy.NEVER);
    assertThat(config.fallbackPartitions()).isZero();
    assertThat(config.placementPatience()).isEqualTo(Duration.ofMinutes(2));
    assertThat(client.connectTimeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(client.reconnectDeadline()).isEqualTo(Duration.ofSeconds(30));
    assertThat(client.blockDeadline()).isEqualTo(Duration.ofMinutes(2));
    assertThat(client.suspectAfter()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void handsEveryEntryOn() {
    SluiceConfig config =
        config(
            Map.ofEntries(
                Map.entry("spark.sluice.codec", "zstd"),
                Map.entry("spark.sluice.block.size", "1m"),
                Map.entry("spark.sluice.write.buffer", "64m"),
                Map.entry("spark.sluice.write.inFlight", "32m"),
                Map.entry("spark.sluice.read.inFlight", "48m"),
                Map.entry("spark.sluice.transport", "grpc"),
                Map.entry("spark.sluice.connectionsPerServer", "3"),
                Map.entry("spark.sluice.replicas", "2"),
                Map.entry("spark.sluice.placement", "packed"),
                Map.entry("spark.sluice.placement.tags", "nvme,large"),
                Map.entry("spark.sluice.placement.zone", "eu-1a"),
                Map.entry("spark.sluice.connectTimeout", "3s"),
                Map.entry("spark.sluice.reconnectDeadline", "4s"),
                Map.entry("spark.sluice.blockDeadline", "5s"),
                Map.entry("spark.sluice.suspectAfter", "7s"),
                Map.entry("spark.sluice.coordinator.deadline", "6s"),
                Map.entry("spark.sluice.fallback", "auto"),
                Map.entry("spark.sluice.fallback.after", "5s"),
                Map.entry("spark.sluice.fallback.partitions", "9"),
                Map.entry("spark.sluice.security.enabled", "true"),
                Map.entry("spark.sluice.tls.enabled", "true"),
                Map.entry("spark.sluice.applicationId", "00000000-0000-0001-0000-000000000002"),
                Map.entry("spark.sluice.secret", "tell nobody")));
    assertThat(config.codec()).isEqualTo("zstd");
    assertThat(config.coordinatorDeadline()).isEqualTo(Duration.ofSeconds(6));
    assertThat(config.fallback()).isEqualTo(FallbackPolicy.AUTO);
    assertThat(config.fallbackPartitions()).isEqualTo(9);
    assertThat(config.placementPatience()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.application().high()).isEqualTo(1);
    assertThat(config.application().low()).isEqualTo(2);
    ClientConfig client = config.clientConfig();
    assertThat(client.maxBlockBytes()).isEqualTo(5 << 18);
    assertThat(client.maxInFlightBytes()).isEqualTo(32 << 20);
    assertThat(client.readerCreditBytes()).isEqualTo(48 << 20);
    assertThat(client.transport()).isEqualTo(Transport.GRPC);
    assertThat(client.connectionsPerServer()).isEqualTo(3);
    assertThat(config.replicas()).isEqualTo(2);
    assertThat(config.placementWishes())
        .isEqualTo(
            new PlacementWishes(
                    Optional.of(PlacementStyle.PACKED), List.of("large", "nvme"), "eu-1a")
                .withGrpc(true));
    assertThat(client.connectTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(client.reconnectDeadline()).isEqualTo(Duration.ofSeconds(4));
    assertThat(client.blockDeadline()).isEqualTo(Duration.ofSeconds(5));
    assertThat(client.suspectAfter()).isEqualTo(Duration.ofSeconds(7));
    assertThat(config.describe()).contains("spark.sluice.codec = zstd");
    assertThat(config.describe()).doesNotContain("tell nobody");
    assertThat(config.openTls()).isPresent();
  }

  @Test
  void eachFileOfNoUseIsToldWithTheRest(@TempDir Path directory) throws IOException {
    Path gone = directory.resolve("gone.pem");
    Path key = Files.writeString(directory.resolve("own.key"), "no key");
    Path trust = Files.writeString(directory.resolve("trust.pem"), "no authority");

    assertThatThrownBy(
            () ->
                config(
                    Map.of(
                        "spark.sluice.codecs", "zstd",
                        "spark.sluice.tls.enabled", "true",
                        "spark.sluice.tls.trustFile", trust.toString(),
                        "spark.sluice.tls.certificateFile", gone.toString(),
                        "spark.sluice.tls.keyFile", key.toString())))
        .hasMessageContaining("4 problems")
        .hasMessageContaining("unknown key spark.sluice.codecs")
        .hasMessageContaining(
            "spark.sluice.tls.certificateFile cannot be read: " + gone + ": there is no such file")
        .hasMessageContaining("keyFile = " + key + ": there is no 'BEGIN PRIVATE KEY' in it")
        .hasMessageContaining("trustFile = " + trust + ": what is in it is no certificate");
  }

  @Test
  void everyEntryIsCoveredAbove() {
    assertThat(SluiceKeys.SECTION.keys()).hasSize(27);
    assertThat(SluiceKeys.SECTION.keys())
        .allSatisfy(
            key -> {
              assertThat(key.name()).startsWith("spark.sluice.");
              assertThat(key.doc()).isNotEmpty();
            });
  }

  @Test
  void followsSparksCompressionUnlessToldOtherwise() {
    assertThat(config(Map.of("spark.io.compression.codec", "snappy")).codec()).isEqualTo("snappy");
    assertThat(config(Map.of("spark.shuffle.compress", "false")).codec()).isEqualTo("none");
    assertThat(
            config(Map.of("spark.shuffle.compress", "false", "spark.sluice.codec", "lz4")).codec())
        .isEqualTo("lz4");
    assertThatThrownBy(() -> config(Map.of("spark.io.compression.codec", "gzip")))
        .hasMessageContaining("spark.io.compression.codec: there is no codec gzip");
  }

  @Test
  void listsAllProblemsAtOnce() {
    SparkConf conf =
        new SparkConf(false).set("spark.sluice.block.size", "1k").set("spark.sluice.codce", "lz4");
    assertThatThrownBy(() -> SluiceConfig.of(conf))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining(QUORUM)
        .hasMessageContaining("spark.sluice.block.size")
        .hasMessageContaining("did you mean spark.sluice.codec");
  }

  @Test
  void whatWouldProtectNothingOrCannotBeIsRefused() {
    assertThatThrownBy(
            () ->
                config(
                    Map.of(
                        "spark.sluice.tls.trustFile", "/nowhere/authority.pem",
                        "spark.sluice.tls.keyFile", "/nowhere/own.key",
                        "spark.sluice.codec", "zipp",
                        "spark.sluice.replicas", "9")))
        .hasMessageContaining("5 problems")
        .hasMessageContaining("trustFile is given, and spark.sluice.tls.enabled is not true")
        .hasMessageContaining("keyFile is given, and spark.sluice.tls.enabled is not true")
        .hasMessageContaining("certificateFile and spark.sluice.tls.keyFile go together")
        .hasMessageContaining("spark.sluice.codec: there is no codec zipp")
        .hasMessageContaining("spark.sluice.replicas = 9");
    assertThatThrownBy(
            () ->
                config(
                    Map.of(
                        "spark.sluice.tls.trustFile", "/nowhere/authority.pem",
                        "spark.sluice.tls.enabled", "true")))
        .hasMessageContaining(
            "spark.sluice.tls.trustFile cannot be read: /nowhere/authority.pem: there is no such");
    assertThat(config(Map.of("spark.sluice.codec", "my.own.Codec")).codec())
        .isEqualTo("my.own.Codec");
  }

  @Test
  void aShuffleWaitsNoLongerThanBothAllow() {
    assertThat(config(Map.of("spark.sluice.fallback", "auto")).placementPatience())
        .isEqualTo(Duration.ofSeconds(30));
    Map<String, String> shorter =
        Map.of("spark.sluice.fallback", "auto", "spark.sluice.coordinator.deadline", "9s");
    assertThat(config(shorter).placementPatience()).isEqualTo(Duration.ofSeconds(9));
    assertThatThrownBy(() -> config(Map.of("spark.sluice.fallback.partitions", "9")))
        .hasMessageContaining("fallback.partitions is given, and spark.sluice.fallback is not");
    assertThatThrownBy(() -> config(Map.of("spark.sluice.fallback", "maybe")))
        .hasMessageContaining("spark.sluice.fallback = maybe");
  }

  @Test
  void anApplicationIdComesFromTheDriverOnly() {
    assertThatThrownBy(() -> config(Map.of()).application())
        .hasMessageContaining("spark.sluice.applicationId");
  }

  @Test
  void refusesACoordinatorThatIsNamedTwice() {
    assertThatThrownBy(() -> config(Map.of(QUORUM, "one:1,two:2,one:1")))
        .hasMessageContaining("element 3, \"one:1\", is in the list already");
  }

  private static SluiceConfig config(Map<String, String> entries) {
    SparkConf conf = new SparkConf(false).set(QUORUM, "one:1,two:2");
    entries.forEach(conf::set);
    return SluiceConfig.of(conf);
  }
}
