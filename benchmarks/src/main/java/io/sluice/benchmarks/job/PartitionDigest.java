package io.sluice.benchmarks.job;

import io.sluice.cli.spark.Fingerprint;
import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One partition's share of a fingerprint.
 *
 * @param first the first key, one char a byte, so that strings compare as bytes do unsigned; null
 *     where there are no rows or no order is asked for
 * @param last the last key, likewise
 */
record PartitionDigest(
    int partition,
    long rows,
    long sum,
    long xor,
    boolean ascending,
    @Nullable String first,
    @Nullable String last)
    implements Serializable {

  /**
   * The whole result: additive parts added, and each partition begins where the one before ended.
   */
  static Fingerprint combine(List<PartitionDigest> digests) {
    long rows = 0;
    long sum = 0;
    long xor = 0;
    boolean ordered = true;
    String last = "";
    for (PartitionDigest digest : inOrder(digests)) {
      rows += digest.rows;
      sum += digest.sum;
      xor ^= digest.xor;
      ordered &= digest.ascending;
      if (digest.first != null && digest.last != null) {
        ordered &= last.compareTo(digest.first) <= 0;
        last = digest.last;
      }
    }
    return new Fingerprint(rows, sum, xor, ordered);
  }

  private static List<PartitionDigest> inOrder(List<PartitionDigest> digests) {
    return digests.stream().sorted(Comparator.comparingInt(PartitionDigest::partition)).toList();
  }
}
