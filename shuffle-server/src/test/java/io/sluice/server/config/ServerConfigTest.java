package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.Place;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.replication.AckRule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ServerConfigTest {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  private static ServerConfig read(Map<String, String> values) {
    return ServerConfig.from(
        new ConfigReader(List.of(ServerConfig.SECTION)).values("test", values).read());
  }

  @Test
  void hasDefaultsThatNeedNoTouching() {
    int loops = Math.min(8, Runtime.getRuntime().availableProcessors());
    assertThat(read(Map.of()))
        .isEqualTo(
            new ServerConfig(
                new ServerConfig.Advertised(Optional.empty(), Optional.empty()),
                new ServerConfig.Listen("0.0.0.0", 7410, 7411, loops),
                new GrpcConfig(Optional.empty(), Optional.empty()),
                List.of(new HostPort("localhost", 7400)),
                new ServerConfig.Memory(
                    MemoryPlan.defaultBudget(ProcessMemory.current().machine()).toBytes(), false),
                List.of(),
                new ServerConfig.Limits(
                    512,
                    64 * KIB,
                    2 * MIB,
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(5),
                    true,
                    new QuotaLimits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, 8L << 30)),
                new ServerConfig.Storage(
                    OptionalInt.empty(), 1 << 30, 16 * MIB, 0.5, Duration.ofSeconds(60)),
                new TierConfig(0.9, Long.MAX_VALUE, Optional.empty(), List.of()),
                AckRule.ALL,
                new StandingConfig(Place.UNKNOWN, List.of())));
  }

  @Test
  void portsAndSeedsThatCannotBeAreToldTogether() {
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class,
            () ->
                read(
                    Map.of(
                        "server.port", "7000",
                        "server.http.port", "7000",
                        "server.grpc.port", "7000",
                        "server.connections.seed", "5000b")));
    assertThat(refusal.getMessage())
        .contains("3 problems")
        .contains("server.port and server.http.port are both 7000")
        .contains("server.http.port and server.grpc.port are both 7000")
        .contains("server.connections.seed must be a multiple of 4k");
    assertThat(read(Map.of("server.port", "0", "server.http.port", "0")).listen().port()).isZero();
  }

  /** Other values than the defaults, of all keys but one. */
  static Map<String, String> everyKey() {
    Map<String, String> values = new TreeMap<>();
    values.put("server.host", "s1.example");
    values.put("server.replication.ack", "majority");
    values.put("server.advertised-port", "30410");
    values.put("server.bind-address", "10.0.0.1");
    values.put("server.port", "1");
    values.put("server.http.port", "2");
    values.put("server.event-loops", "3");
    values.put("server.grpc.port", "4");
    values.put("server.grpc.advertised-port", "30412");
    values.put("server.coordinators", "c1:7400,c2:7400");
    values.put("server.memory", "8g");
    values.put("server.memory.preallocate", "true");
    values.put("server.data-dirs", "/a,hdd:/b");
    values.put("server.connections.max", "100");
    values.put("server.connections.seed", "128k");
    values.put("server.block.max", "1m");
    values.put("server.credit.want-timeout", "10s");
    values.put("server.credit.idle", "2s");
    values.put("server.verify-crc", "false");
    values.put("server.quota.user", "300g");
    values.put("server.quota.application", "100g");
    values.put("server.quota.partition", "20g");
    values.put("server.partition.split", "4g");
    values.put("server.flush.start", "0.25");
    values.put("server.disk.unit", "8m");
    values.put("server.disk.segment", "512m");
    values.put("server.disk.catalog-memory", "32m");
    values.put("server.stop.flush-timeout", "2m");
    values.put("server.tier.watermark", "0.8");
    values.put("server.tier.huge-partition", "10g");
    values.put("server.hdfs.root", "hdfs://name/sluice");
    values.put("server.hdfs.configuration", "/etc/hadoop");
    values.put("server.hdfs.replication", "3");
    values.put("server.hdfs.deadline", "20s");
    values.put("server.hdfs.principal", "sluice/_HOST@REALM");
    values.put("server.hdfs.keytab", "/etc/sluice.keytab");
    values.put("server.hdfs.impersonate", "true");
    values.put("server.hdfs.stand-in-for", new UUID(1, 2).toString());
    values.put("server.zone", "eu-1a");
    values.put("server.rack", "r7");
    values.put("server.tags", "nvme, large");
    return values;
  }

  @Test
  void mapsEveryKey() {
    Map<String, String> values = everyKey();
    assertThat(values.keySet())
        .as("every key is tested")
        .containsExactlyInAnyOrderElementsOf(
            ServerConfig.SECTION.keys().stream()
                .map(ConfigKey::name)
                // Excludes impersonation; tested by itself.
                .filter(key -> !key.equals("server.hdfs.proxy-user"))
                .toList());
    assertThat(read(values))
        .isEqualTo(
            new ServerConfig(
                new ServerConfig.Advertised(Optional.of("s1.example"), Optional.of(30410)),
                new ServerConfig.Listen("10.0.0.1", 1, 2, 3),
                new GrpcConfig(Optional.of(4), Optional.of(30412)),
                List.of(new HostPort("c1", 7400), new HostPort("c2", 7400)),
                new ServerConfig.Memory(8L << 30, true),
                List.of(
                    new DataDir(DiskClass.SSD, Path.of("/a")),
                    new DataDir(DiskClass.HDD, Path.of("/b"))),
                new ServerConfig.Limits(
                    100,
                    128 * KIB,
                    MIB,
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(2),
                    false,
                    new QuotaLimits(300L << 30, 100L << 30, 20L << 30, 4L << 30)),
                new ServerConfig.Storage(
                    OptionalInt.of(8 * MIB), 512 * MIB, 32 * MIB, 0.25, Duration.ofMinutes(2)),
                new TierConfig(
                    0.8,
                    10L << 30,
                    Optional.of(
                        new RemoteStorage(
                            "hdfs://name/sluice",
                            List.of(Path.of("/etc/hadoop")),
                            3,
                            Duration.ofSeconds(20),
                            Optional.of(
                                new RemoteStorage.Login(
                                    "sluice/_HOST@REALM", Path.of("/etc/sluice.keytab"))),
                            Optional.empty(),
                            true)),
                    List.of(new ServerId(new UUID(1, 2)))),
                AckRule.MAJORITY,
                new StandingConfig(new Place("eu-1a", "r7"), List.of("nvme", "large"))));
  }

  @Test
  void hdfsFilesBelongToOneUserOrToManyButNotToBoth() {
    Map<String, String> values = new TreeMap<>();
    values.put("server.hdfs.root", "hdfs://name/sluice");
    values.put("server.hdfs.proxy-user", "alice");
    RemoteStorage storage = read(values).tiers().remote().orElseThrow();
    assertThat(storage.proxyUser()).contains("alice");
    assertThat(storage.impersonate()).isFalse();
    assertThat(read(values).needsUsers()).isFalse();

    values.put("server.hdfs.impersonate", "true");
    assertThat(catchThrowableOfType(SluiceException.class, () -> read(values)).detail())
        .contains("server.hdfs.impersonate and server.hdfs.proxy-user exclude each other");
    values.remove("server.hdfs.proxy-user");
    assertThat(read(values).needsUsers()).isTrue();
  }

  @Test
  void refusesSettingsOfHdfsWithoutHdfs() {
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class,
            () ->
                read(
                    Map.of(
                        "server.hdfs.replication", "2",
                        "server.hdfs.configuration", "/etc/hadoop",
                        "server.hdfs.stand-in-for", new UUID(1, 2).toString())));

    assertThat(refusal.detail())
        .contains("3 problems")
        .contains("server.hdfs.replication needs server.hdfs.root")
        .contains("server.hdfs.configuration needs server.hdfs.root")
        .contains("server.hdfs.stand-in-for needs server.hdfs.root");
  }

  @Test
  void refusesHalfALoginAndARootWithoutAFolder() {
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class,
            () ->
                read(
                    Map.of(
                        "server.hdfs.root", "hdfs://name",
                        "server.hdfs.principal", "sluice@REALM")));

    assertThat(refusal.detail())
        .contains("2 problems")
        .contains("server.hdfs.root must name a folder with its scheme")
        .contains("server.hdfs.principal and server.hdfs.keytab belong together");
  }

  @Test
  void refusesWhatCannotWork() {
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class,
            () ->
                read(
                    Map.of(
                        "server.advertised-port", "0",
                        "server.grpc.advertised-port", "443",
                        "server.data-dirs", "/a,hdd:/a",
                        "server.disk.unit", "1m",
                        "server.disk.segment", "1m")));

    assertThat(refusal.detail())
        .contains("5 problems")
        .contains("server.grpc.advertised-port needs server.grpc.port")
        .contains("server.advertised-port = 0 (test): out of bounds, allowed is 1 to 65535")
        .contains("server.data-dirs: /a is named twice")
        .contains("server.disk.unit must be at least twice server.block.max")
        .contains("server.disk.segment must be at least twice server.disk.unit");
  }

  @Test
  void namesEachWrongElementOfItsLists() {
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class,
            () ->
                read(
                    Map.of(
                        "server.coordinators", "a:1,b:99999,a:1",
                        "server.data-dirs", "foo:/x,/y,bar:/z",
                        "server.tags", "a b,c,d e")));

    assertThat(refusal.detail())
        .contains("6 problems")
        .contains("element 2, \"b:99999\": port 99999")
        .contains("element 3, \"a:1\", is in the list already")
        .contains("element 1, \"foo:/x\": disks are ssd or hdd")
        .contains("element 3, \"bar:/z\": disks are ssd or hdd")
        .contains("element 1, \"a b\": a label has")
        .contains("element 3, \"d e\": a label has");
  }
}
