package io.sluice.benchmarks.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.spark.Fingerprint;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionDigestTest {
  @Test
  void addsPartitionsUp() {
    Fingerprint whole =
        PartitionDigest.combine(
            List.of(
                new PartitionDigest(1, 2, 10, 0b0110, true, "c", "d"),
                new PartitionDigest(0, 3, 20, 0b0011, true, "a", "c")));

    assertThat(whole).isEqualTo(new Fingerprint(5, 30, 0b0101, true));
  }

  @Test
  void noticesAPartitionOutOfOrder() {
    assertThat(ordered(new PartitionDigest(0, 1, 0, 0, false, "a", "b"))).isFalse();
  }

  @Test
  void noticesPartitionsThatOverlap() {
    assertThat(
            ordered(
                new PartitionDigest(0, 1, 0, 0, true, "a", "m"),
                new PartitionDigest(1, 0, 0, 0, true, null, null),
                new PartitionDigest(2, 1, 0, 0, true, "l", "z")))
        .isFalse();
  }

  @Test
  void comparesKeysUnsigned() {
    assertThat(
            ordered(
                new PartitionDigest(0, 1, 0, 0, true, "\u0001", "\u007f"),
                new PartitionDigest(1, 1, 0, 0, true, "\u0080", "\u00ff")))
        .isTrue();
  }

  private static boolean ordered(PartitionDigest... digests) {
    return PartitionDigest.combine(List.of(digests)).ordered();
  }
}
