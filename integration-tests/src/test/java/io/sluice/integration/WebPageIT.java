package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.common.security.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The web page in a real browser, as a coordinator that does not lead serves it: two coordinators
 * and two servers in processes of their own, tokens, a Spark driver.
 */
@ExtendWith(OwnShuffle.Extension.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WebPageIT {
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 400_000, 40, 8, false, "", false);
  private static final int SERVERS = 2;

  /** What follows the caller's address where another coordinator handed the call on. */
  private static final String FORWARDED = " through 127.0.0.1:\\d+";

  private static @Nullable Browser browser;
  private static @Nullable Runs shared;
  private static @Nullable SparkDriver driver;
  private static @Nullable Fingerprint expected;
  private static Map<String, Object> given = Map.of();

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start(OwnShuffle own) throws Exception {
    browser = Browser.orSkip();
    expected = own.faultJob(REQUEST);
    Runs runs = new Runs("page");
    shared = runs;
    String readToken = Secret.random();
    String adminToken = Secret.random();
    Map<String, String> security =
        Map.of(
            "security.enabled",
            "true",
            "security.cluster-key-file",
            file("cluster.key", Secret.random()));
    Map<String, String> coordinator = new HashMap<>(security);
    coordinator.put("coordinator.zookeeper.connect", runs.zooKeeper());
    coordinator.put("coordinator.http.read-token-file", file("read.token", readToken));
    coordinator.put("coordinator.http.admin-token-file", file("admin.token", adminToken));
    LocalCluster leader = runs.cluster(0, "512m", Map.of(), coordinator);
    String port = Integer.toString(LoneZooKeeper.freePort());
    coordinator.put("coordinator.port", port);
    String quorum = leader.coordinatorAddress() + ",127.0.0.1:" + port;
    Map<String, String> server = new HashMap<>(security);
    server.put("server.coordinators", quorum);
    LocalCluster follower = runs.cluster(SERVERS, "512m", server, coordinator);
    driver =
        runs.faultDriver(
            runs.through(
                follower,
                Runs.LOCAL,
                Map.of(
                    "spark.sluice.coordinator.quorum",
                    quorum,
                    "spark.sluice.security.enabled",
                    "true")));
    given =
        Map.of(
            "page",
            "http://" + follower.coordinatorHttp() + "/",
            "leader",
            leader.coordinatorAddress(),
            "leaderPid",
            leader.coordinator().pid(),
            "follower",
            follower.coordinatorAddress(),
            "servers",
            SERVERS,
            "addresses",
            follower.servers().stream().map(each -> each.announcement().address()).toList(),
            "readToken",
            readToken,
            "adminToken",
            adminToken);
  }

  private static String file(String name, String content) throws Exception {
    Path file = Objects.requireNonNull(shared).path().resolve(name);
    return Files.writeString(file, content).toString();
  }

  @AfterAll
  static void stop() {
    if (driver != null) {
      driver.close();
    }
    if (shared != null) {
      shared.close();
    }
  }

  private static void check(String name) throws Exception {
    Objects.requireNonNull(browser).check(name, given);
  }

  @Test
  @Order(1)
  void whoHasNoTokenIsAskedForOneAndSeesNothing() throws Exception {
    check("stranger");
  }

  @Test
  @Order(2)
  void aFollowersPageShowsWhatTheLeaderKnowsAndReadersGetNoButtons() throws Exception {
    check("overview");
  }

  @Test
  @Order(3)
  void theBytesOfARunningJobMove() throws Exception {
    AtomicBoolean seen = new AtomicBoolean();
    ExecutorService jobs = Executors.newSingleThreadExecutor();
    try {
      Future<List<Fingerprint>> running = jobs.submit(() -> runUntil(seen));
      try {
        check("bytes");
      } finally {
        seen.set(true);
      }
      assertThat(running.get()).isNotEmpty().allMatch(rows -> rows.equals(expected));
    } finally {
      jobs.shutdownNow();
    }
  }

  private static List<Fingerprint> runUntil(AtomicBoolean seen) throws Exception {
    List<Fingerprint> results = new ArrayList<>();
    while (!seen.get()) {
      results.add(Objects.requireNonNull(driver).run(REQUEST, Runs.DEADLINE).fingerprint());
    }
    return results;
  }

  @Test
  @Order(4)
  void itIsUsableForEverybodyInDarkAndLightAndOnPhones() throws Exception {
    check("looks");
  }

  @Test
  @Order(5)
  void everyControlIsReachedByKeyboard() throws Exception {
    check("keyboard");
  }

  /** A line about a change: who, from where besides a port, how, what, with which result. */
  private static String audited(Object... parts) {
    return String.format(
        Locale.ROOT,
        " audit: who=\"%s\" from=\"127.0.0.1:\\d+%s\" role=\\w+ what=\"%s"
            + " /api/v1/servers/[-0-9a-f]+/%s\" details=\"\" result=%s",
        parts);
  }

  @Test
  @Order(6)
  void anAdminDrainsAServerByKeyboardAlone() throws Exception {
    check("drain");

    String asked = coordinatorLog(2);
    String led = coordinatorLog(1);
    assertThat(asked)
        .containsPattern(audited("admin-token", "", "PUT", "drain", "204"))
        .containsPattern(audited("admin-token", "", "DELETE", "drain", "204"))
        .containsPattern(audited("read-token", "", "PUT", "drain", "403"));
    assertThat(led)
        .containsPattern(
            audited("admin-token through cluster-key", FORWARDED, "PUT", "drain", "204"));
    for (String token : List.of("readToken", "adminToken")) {
      assertThat(asked + led).doesNotContain(String.valueOf(given.get(token)));
    }
  }

  private static String coordinatorLog(int cluster) throws IOException {
    Path run = Objects.requireNonNull(shared).path();
    return Files.readString(run.resolve("cluster-" + cluster + "/coordinator/log"));
  }

  /** Last: the leader does not come back. */
  @Test
  @Order(7)
  void goesOnWithTheNextLeaderAndInventsNoTraffic() throws Exception {
    check("failover");
  }
}
