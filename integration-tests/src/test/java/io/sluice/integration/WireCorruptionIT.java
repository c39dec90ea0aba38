package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.integration.wire.Flip;
import io.sluice.integration.wire.Way;
import io.sluice.integration.wire.WireProxy;
import java.io.IOException;
import java.net.http.HttpClient;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A byte that changes on the wire, inside the payload of a block, between Spark and a server: found
 * by whoever receives it, named, and made good by the cheapest means that works. A proxy that the
 * server advertises instead of itself changes the byte.
 */
@ExtendWith(OwnShuffle.Extension.class)
class WireCorruptionIT {
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 400_000, 40, 8, false, "", false);
  private static final Pattern BOUND = Pattern.compile("serves on port (\\d+)");
  private static final String REFUSED =
      "sluice_server_refused_blocks_total{code=\"CORRUPT_BLOCK\"}";
  private static final String FAILED_TASK = "Lost task";
  private static final String RECOMPUTED = "Map outputs are missing and will be recomputed";

  private static @Nullable Runs shared;
  private static @Nullable WireProxy proxy;
  private static @Nullable LocalCluster cluster;
  private static @Nullable SparkDriver driver;
  private static @Nullable Fingerprint expected;
  private static int flippedOnPush;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start(OwnShuffle own) throws Exception {
    shared = new Runs("wire");
    expected = own.faultJob(REQUEST);
    proxy = WireProxy.open();
    cluster =
        shared.cluster(1, "512m", Map.of("server.advertised-port", Integer.toString(proxy.port())));
    proxy.forwardTo(boundPort(shared.serverLog(1)));
    driver = shared.faultDriver(shared.through(cluster, Runs.LOCAL, Map.of()));
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
    if (proxy != null) {
      proxy.close();
    }
  }

  @Test
  void aBlockDamagedOnItsWayToTheServerIsRefusedAndSentAgain() throws Exception {
    Outcome outcome = run(Way.PUSH, 1);

    assertNames(runs().serverLog(1), outcome.flip());
    assertThat(outcome.log()).doesNotContain(FAILED_TASK);
  }

  @Test
  void aBlockDamagedTwiceOnItsWayToTheServerFailsItsMapAttemptByName() throws Exception {
    Outcome outcome = run(Way.PUSH, 2);

    assertNames(outcome.log(), outcome.flip());
    assertThat(outcome.log()).contains(FAILED_TASK).doesNotContain(RECOMPUTED);
  }

  @Test
  void aBlockDamagedOnItsWayToTheReaderIsFetchedAgain() throws Exception {
    Outcome outcome = run(Way.FETCH, 1);

    assertNames(outcome.log(), outcome.flip());
    assertThat(outcome.log()).doesNotContain(FAILED_TASK);
  }

  @Test
  void aBlockDamagedTwiceOnItsWayToTheReaderIsRecomputed() throws Exception {
    Outcome outcome = run(Way.FETCH, 2);

    assertNames(outcome.log(), outcome.flip());
    assertThat(outcome.log()).contains(FAILED_TASK).contains(RECOMPUTED);
  }

  /** What was damaged, and what the driver has logged meanwhile. */
  private record Outcome(Flip flip, String log) {}

  /** A job of which one block is damaged so many times; its rows must be exact. */
  private static Outcome run(Way way, int times) throws Exception {
    WireProxy wire = Objects.requireNonNull(proxy);
    int before = runs().lastLog().length();
    Flip flip = wire.flip(way, times);
    assertThat(Objects.requireNonNull(driver).run(REQUEST, Runs.DEADLINE).fingerprint())
        .isEqualTo(expected);
    assertThat(wire.failures()).isEmpty();
    assertThat(flip.count()).as("bytes that the proxy changed").isEqualTo(times);
    flippedOnPush += way == Way.PUSH ? times : 0;
    if (flippedOnPush > 0) {
      assertThat(refusedBlocks()).isEqualTo(flippedOnPush);
    }
    return new Outcome(flip, runs().lastLog().substring(before));
  }

  private static void assertNames(String log, Flip flip) {
    assertThat(log.lines())
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("CORRUPT_BLOCK")
                    .contains("shuffle " + flip.shuffle())
                    .contains(flip.block()));
  }

  private static double refusedBlocks() throws IOException, InterruptedException {
    return Objects.requireNonNull(cluster)
        .servers()
        .get(0)
        .metrics(HttpClient.newHttpClient())
        .sum(REFUSED);
  }

  private static int boundPort(String serverLog) {
    Matcher bound = BOUND.matcher(serverLog);
    assertThat(bound.find()).isTrue();
    return Integer.parseInt(bound.group(1));
  }

  private static Runs runs() {
    return Objects.requireNonNull(shared);
  }
}
