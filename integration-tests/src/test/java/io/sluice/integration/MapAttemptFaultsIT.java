package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.TestedSpark;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Map attempts that die, or are duplicated, half-way through pushing: exact rows all the same. */
@ParameterizedClass
@MethodSource("io.sluice.integration.Runs#lines")
@ExtendWith(OwnShuffle.Extension.class)
class MapAttemptFaultsIT {
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 400_000, 40, 8, false, "", false);

  /** Small, so that blocks leave long before the map ends. */
  private static final Map<String, String> PUSH_EARLY = Map.of("spark.sluice.write.buffer", "1m");

  private static @Nullable Runs shared;
  private static @Nullable LocalCluster cluster;
  private static @Nullable Fingerprint expected;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  /** For JUnit, which gives it to {@code start} as well. */
  @Parameter @Nullable TestedSpark line;

  @BeforeParameterizedClassInvocation
  static void start(TestedSpark line, OwnShuffle own) throws Exception {
    shared = new Runs("attempts", line);
    cluster = shared.cluster(2, "512m");
    expected = own.faultJob(REQUEST);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void attemptsThatThrowMidPushAreRetriedToExactRows() throws Exception {
    assertExact(Runs.LOCAL, Map.of("spark.faults.map", "THROW"));
    assertThat(runs().lastLog()).contains("struck down on purpose");
  }

  @Test
  void anExecutorKilledMidPushIsReplacedToExactRows() throws Exception {
    assertExact("local-cluster[2,1,1024]", Map.of("spark.faults.map", "HALT"));
    assertThat(runs().lastLog()).contains("Lost executor");
  }

  @Test
  void theFirstOfTwoAttemptsToFinishIsReadAlone() throws Exception {
    assertExact(
        runs().standaloneSpark(),
        Map.of(
            "spark.faults.map", "STALL",
            "spark.executor.memory", "1g",
            "spark.speculation", "true",
            "spark.speculation.interval", "100ms",
            "spark.speculation.multiplier", "1.1",
            "spark.speculation.quantile", "0.5"));
    assertThat(runs().lastLog()).contains("started a speculative copy of map");
  }

  @Test
  void attemptsThatThrowAreRetriedWhereServersAreReachedOverGrpcAlone() throws Exception {
    // Whoever tries plain sockets dials a port that nobody listens on.
    LocalCluster grpcOnly =
        runs()
            .cluster(
                1,
                "512m",
                Map.of(
                    "server.grpc.port", "0",
                    "server.connections.max", "64",
                    "server.advertised-port", "1"));
    assertExact(
        grpcOnly,
        Runs.LOCAL,
        Map.of("spark.faults.map", "THROW", "spark.sluice.transport", "grpc"));
    assertThat(runs().lastLog()).contains("struck down on purpose");
  }

  private static void assertExact(String master, Map<String, String> faults) throws Exception {
    assertExact(Objects.requireNonNull(cluster), master, faults);
  }

  private static void assertExact(LocalCluster through, String master, Map<String, String> faults)
      throws Exception {
    Map<String, String> properties = new HashMap<>(PUSH_EARLY);
    properties.putAll(faults);
    SparkSettings settings = runs().through(through, master, properties);
    assertThat(runs().faultJob(settings, REQUEST).fingerprint()).isEqualTo(expected);
  }

  private static Runs runs() {
    return Objects.requireNonNull(shared);
  }
}
