package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

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

/** The cluster's quota of bytes, as real servers report them and the command line sets it. */
class ClusterQuotaIT {
  private static final Map<String, String> FAST =
      Map.of("coordinator.server.heartbeat-interval", "100ms");

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    shared = new Runs("quota");
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void bytesThatServersHoldCountUntilTheyAreGone() throws Exception {
    LocalCluster cluster = Objects.requireNonNull(shared).coordinated(2, "512m", FAST);
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

  private static int quota(LocalCluster cluster, String... words) {
    String[] all = Arrays.copyOf(words, words.length + 2);
    all[words.length] = "--coordinator";
    all[words.length + 1] = cluster.coordinatorAddress();
    return new CommandLine(new QuotaCommand()).execute(all);
  }
}
