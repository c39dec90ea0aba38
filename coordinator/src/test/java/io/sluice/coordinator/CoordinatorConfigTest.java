package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.SluiceException;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.cluster.ClusterRules;
import io.sluice.coordinator.membership.SilenceLimits;
import io.sluice.coordinator.zookeeper.ZooKeeperAccess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CoordinatorConfigTest {
  private static CoordinatorConfig read(Map<String, String> values) {
    return CoordinatorConfig.from(
        new ConfigReader(List.of(CoordinatorConfig.SECTION)).values("test", values).read());
  }

  @Test
  void hasDefaultsThatNeedNoTouching() {
    assertThat(read(Map.of()))
        .isEqualTo(
            new CoordinatorConfig(
                Optional.empty(),
                new CoordinatorConfig.Listen("0.0.0.0", 7400, 7401, Optional.empty()),
                new CoordinatorConfig.Http(
                    false, Optional.empty(), Optional.empty(), Optional.empty()),
                Path.of("data/coordinator"),
                new CoordinatorConfig.ZooKeeper(
                    Optional.empty(),
                    "/sluice",
                    Duration.ofSeconds(3),
                    Duration.ofMinutes(1),
                    ZooKeeperAccess.OPEN),
                new ClusterRules(
                    new SilenceLimits(
                        Duration.ofSeconds(5).toNanos(),
                        Duration.ofSeconds(30).toNanos(),
                        Duration.ofMinutes(2).toNanos()),
                    new LeaseTerms(
                        Duration.ofSeconds(10).toNanos(), Duration.ofMinutes(5).toNanos()),
                    1_000)));
  }

  @Test
  void mapsEveryKey() {
    Map<String, String> values = new TreeMap<>();
    values.put("coordinator.host", "c1.example");
    values.put("coordinator.bind-address", "10.0.0.1");
    values.put("coordinator.port", "1");
    values.put("coordinator.connections-per-address", "77");
    values.put("coordinator.http.port", "2");
    values.put("coordinator.http.tls", "true");
    values.put("coordinator.http.read-token-file", "r");
    values.put("coordinator.http.admin-token-file", "a");
    values.put("coordinator.http.admin-certificates", "CN=ops");
    values.put("coordinator.data-dir", "/var/lib/sluice");
    values.put("coordinator.zookeeper.connect", "z1:2181,z2:2181");
    values.put("coordinator.zookeeper.root", "/prod/sluice");
    values.put("coordinator.zookeeper.session-timeout", "20s");
    values.put("coordinator.zookeeper.start-timeout", "7s");
    values.put("coordinator.zookeeper.digest-file", "d");
    values.put("coordinator.zookeeper.tls.trust-file", "t");
    values.put("coordinator.zookeeper.tls.identity-file", "i");
    values.put("coordinator.server.heartbeat-interval", "2s");
    values.put("coordinator.server.suspect-after", "8s");
    values.put("coordinator.server.lost-after", "40s");
    values.put("coordinator.server.restart-grace", "3m");
    values.put("coordinator.server.forget-after", "9d");
    values.put("coordinator.application.heartbeat-interval", "20s");
    values.put("coordinator.application.expire-after", "10m");
    values.put("coordinator.placement", "zone-local");

    assertThat(values.keySet())
        .as("every key is tested")
        .containsExactlyInAnyOrderElementsOf(
            CoordinatorConfig.SECTION.keys().stream().map(ConfigKey::name).toList());
    assertThat(read(values))
        .isEqualTo(
            new CoordinatorConfig(
                Optional.of("c1.example"),
                new CoordinatorConfig.Listen("10.0.0.1", 1, 2, Optional.of(77)),
                new CoordinatorConfig.Http(
                    true,
                    Optional.of(Path.of("r")),
                    Optional.of(Path.of("a")),
                    Optional.of("CN=ops")),
                Path.of("/var/lib/sluice"),
                new CoordinatorConfig.ZooKeeper(
                    Optional.of(List.of(new HostPort("z1", 2181), new HostPort("z2", 2181))),
                    "/prod/sluice",
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(7),
                    new ZooKeeperAccess(
                        Optional.of(Path.of("d")),
                        Optional.of(Path.of("t")),
                        Optional.of(Path.of("i")))),
                new ClusterRules(
                    new SilenceLimits(
                        Duration.ofSeconds(8).toNanos(),
                        Duration.ofSeconds(40).toNanos(),
                        Duration.ofMinutes(3).toNanos()),
                    new LeaseTerms(
                        Duration.ofSeconds(20).toNanos(), Duration.ofMinutes(10).toNanos()),
                    2_000,
                    PlacementStyle.ZONE_LOCAL,
                    Duration.ofDays(9).toMillis())));
  }

  @Test
  void refusesIntervalsThatLeaveNoRoomForALostMessage() {
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class,
            () ->
                read(
                    Map.of(
                        "coordinator.server.heartbeat-interval", "3s",
                        "coordinator.server.lost-after", "6s",
                        "coordinator.application.expire-after", "20s",
                        "coordinator.zookeeper.root", "sluice/",
                        "coordinator.zookeeper.tls.identity-file", "own.pem")));

    assertThat(refusal.detail())
        .contains("5 problems")
        .contains("tls.identity-file needs coordinator.zookeeper.tls.trust-file")
        .contains("suspect-after must be at least 2 x coordinator.server.heartbeat-interval")
        .contains("lost-after must be at least 2 x coordinator.server.suspect-after")
        .contains("expire-after must be at least 3 x coordinator.application.heartbeat-interval")
        .contains("coordinator.zookeeper.root = sluice/ is not an absolute path");
  }
}
