package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.cluster.QuotaCommand;
import io.sluice.cli.local.LocalCluster;
import io.sluice.client.MapOutput;
import io.sluice.client.ShufflePlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine;

/**
 * Quotas of bytes between applications that use the same servers: the cluster's, as real servers
 * report them and the command line sets it, and that of each server.
 */
class ClusterQuotaIT {
  private static final Map<String, String> FAST =
      Map.of("coordinator.server.heartbeat-interval", "100ms");

  private static final Map<String, String> LIMITED = Map.of("server.quota.application", "1m");

  private static @Nullable Runs shared;
  private static @Nullable LocalCluster started;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    Runs runs = new Runs("quota");
    shared = runs;
    started = runs.cluster(2, "512m", LIMITED, FAST);
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void bytesThatServersHoldCountUntilTheyAreGone() throws Exception {
    LocalCluster cluster = Objects.requireNonNull(started);
    try (TestShuffle shuffle = new TestShuffle(cluster.coordinatorAddress());
        TestShuffle other = new TestShuffle(cluster.coordinatorAddress())) {
      String mine = "application:" + shuffle.application();
      assertThat(quota(cluster, "set", mine, "--bytes", "100k")).isZero();
      ShufflePlacement first = shuffle.place();
      try (MapOutput output = shuffle.output(first)) {
        // 16 partitions of 10,000 bytes.
        TestShuffle.push(output, 0);
        output.finish();
      }

      SluiceException refusal = shuffle.awaitPlacement(false);
      assertThat(refusal).isNotNull();
      assertThat(refusal.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
      assertThat(refusal.detail()).contains(shuffle.application() + " holds", "102400 bytes");
      other.place();
      shuffle.assertHas(first, 1);

      shuffle.remove(first);
      assertThat(shuffle.awaitPlacement(true)).isNull();
      assertThat(quota(cluster, "remove", mine)).isZero();
    }
  }

  @Test
  void anApplicationAtItsQuotaOnServersFailsAndItsNeighbourGoesOn() throws Exception {
    String coordinator = Objects.requireNonNull(started).coordinatorAddress();
    try (TestShuffle greedy = new TestShuffle(coordinator);
        TestShuffle modest = new TestShuffle(coordinator)) {
      ShufflePlacement little = modest.place();
      try (MapOutput output = modest.output(little)) {
        TestShuffle.push(output, 0);

        assertThatThrownBy(() -> pushTooMuch(greedy))
            .isInstanceOfSatisfying(
                SluiceException.class,
                refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED))
            .hasMessageContaining(greedy.application() + " may store nothing more here")
            .hasMessageContaining("server.quota.application is 1048576");

        TestShuffle.push(output, 1);
        output.finish();
      }
      modest.assertHas(little, 2);
      assertThatThrownBy(() -> pushTooMuch(greedy))
          .as("another shuffle of it")
          .hasMessageContaining("server.quota.application is 1048576");
      modest.assertHas(little, 2);
    }
  }

  /** Ten times what two servers take of one application. */
  private static void pushTooMuch(TestShuffle shuffle) throws InterruptedException {
    try (MapOutput output = shuffle.output(shuffle.place())) {
      for (int number = 0; number < 20 << 20; number += TestShuffle.PARTITIONS * 10_000) {
        TestShuffle.push(output, number);
      }
      output.finish();
    }
  }

  private static int quota(LocalCluster cluster, String... words) {
    String[] all = Arrays.copyOf(words, words.length + 2);
    all[words.length] = "--coordinator";
    all[words.length + 1] = cluster.coordinatorAddress();
    return new CommandLine(new QuotaCommand()).execute(all);
  }
}
