package io.sluice.server.damage;

import io.sluice.common.id.ShuffleKey;
import io.sluice.common.log.FewLines;
import io.sluice.common.time.Clock;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.partition.StoredExtent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is said of looks: a disk of zeros has as many damaged extents as it has extents, and readers
 * may complain as often as they like. Thread-safe.
 */
final class DamageReport {
  private static final Logger log = LoggerFactory.getLogger(DamageReport.class);

  private final ServerStats stats;
  private final FewLines cuts;
  private final FewLines ends;

  DamageReport(Clock clock, ServerStats stats) {
    this.stats = stats;
    this.cuts = new FewLines(clock);
    this.ends = new FewLines(clock);
  }

  /**
   * An extent is damaged.
   *
   * @param reached bytes of it that are left
   */
  void cut(ShuffleKey shuffle, StoredExtent extent, int reached, String damage) {
    boolean all = reached == extent.extent().length();
    if (!all) {
      stats.extentCut();
    }
    long unsaid = cuts.next();
    if (unsaid < 0) {
      return;
    }
    String what =
        all
            ? "readers come to its end and miss blocks on their way"
            : "cut off after " + reached + " bytes, for readers do not find what comes behind";
    log.warn(
        "shuffle {}, partition {}: {}: {}: {}{}",
        shuffle,
        extent.extent().partition(),
        what,
        extent,
        damage,
        more(unsaid));
  }

  void ended(Look look) {
    long unsaid = ends.next();
    if (unsaid >= 0) {
      log.info("{}{}", look, more(unsaid));
    }
  }

  void nothingToLookAt(ShuffleKey shuffle, int partition) {
    say(shuffle, partition, "all on disks was looked through lately");
  }

  void noPlace(ShuffleKey shuffle, int partition) {
    say(shuffle, partition, "too many partitions of its application or connection wait");
  }

  private void say(ShuffleKey shuffle, int partition, String why) {
    long unsaid = ends.next();
    if (unsaid >= 0) {
      log.info(
          "shuffle {}, partition {}: not looked through, {}{}",
          shuffle,
          partition,
          why,
          more(unsaid));
    }
  }

  private static String more(long unsaid) {
    return unsaid == 0 ? "" : "; and " + unsaid + " more lines like this";
  }
}
