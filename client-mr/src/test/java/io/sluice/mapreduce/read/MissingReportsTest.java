package io.sluice.mapreduce.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reports of lost maps, second by second. */
class MissingReportsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static BitSet maps(int from, int to) {
    BitSet maps = new BitSet();
    maps.set(from, to);
    return maps;
  }

  /** The seconds at which something was reported. */
  private static List<Integer> seconds(MissingReports reports, BitSet missing, int to) {
    List<Integer> seconds = new ArrayList<>();
    for (int second = 0; second < to; second++) {
      if (!reports.next(missing).isEmpty()) {
        seconds.add(second);
      }
      reports.passed(SECOND);
    }
    return seconds;
  }

  @Test
  void pausesDoubleUpToALongestOne() {
    for (int seed = 0; seed < 50; seed++) {
      List<Integer> seconds = seconds(new MissingReports(seed), maps(3, 5), 200);
      assertThat(seconds.get(0)).isZero();
      for (int i = 1; i < seconds.size(); i++) {
        int pause = Math.min(16, 1 << (i - 1));
        // A quarter less or more, and then the next whole second.
        assertThat(seconds.get(i) - seconds.get(i - 1))
            .as("pause " + i + " of " + seconds)
            .isBetween(pause * 3 / 4, pause + (pause + 3) / 4);
      }
      assertThat(seconds).hasSizeBetween(12, 20);
    }
  }

  @Test
  void reducersDoNotReportTogether() {
    List<List<Integer>> all = new ArrayList<>();
    for (int seed = 0; seed < 20; seed++) {
      all.add(seconds(new MissingReports(seed), maps(3, 5), 200));
    }
    assertThat(all.stream().distinct()).hasSizeGreaterThan(15);
  }

  @Test
  void whatIsFoundLaterIsReportedAtOnce() {
    MissingReports reports = new MissingReports(1);
    seconds(reports, maps(3, 5), 60);
    reports.next(maps(3, 5));

    assertThat(reports.next(maps(3, 6))).isEqualTo(maps(3, 6));
    assertThat(reports.next(maps(3, 6))).isEqualTo(new BitSet());
    reports.passed(Duration.ofSeconds(2));
    assertThat(reports.next(maps(3, 6)))
        .as("with pauses from the shortest on")
        .isNotEqualTo(new BitSet());
  }

  @Test
  void whatHasRunAgainIsNotReported() {
    MissingReports reports = new MissingReports(1);
    reports.next(maps(3, 6));
    reports.passed(Duration.ofMinutes(1));

    assertThat(reports.next(maps(4, 6))).isEqualTo(maps(4, 6));
    reports.passed(Duration.ofMinutes(1));
    assertThat(reports.next(new BitSet())).isEqualTo(new BitSet());
    assertThat(reports.next(maps(4, 6))).as("lost once more").isEqualTo(maps(4, 6));
  }

  @Test
  void ofManyMapsAReportNamesSomeAndATurnNamesAll() {
    MissingReports reports = new MissingReports(1);
    BitSet missing = maps(17, 2_717);
    BitSet told = new BitSet();
    int count = 0;
    int second = 0;
    while (told.cardinality() < missing.cardinality()) {
      BitSet now = reports.next(missing);
      assertThat(now.cardinality()).isIn(0, MissingReports.MAX_MAPS);
      told.or(now);
      count += now.isEmpty() ? 0 : 1;
      reports.passed(SECOND);
      second++;
    }
    assertThat(told).isEqualTo(missing);
    assertThat(count).as("reports of 2,700").isEqualTo(6);
    assertThat(second).as("seconds: pauses do not grow within a turn").isLessThanOrEqualTo(12);
  }

  @Test
  void reducersBeginWithDifferentMaps() {
    BitSet missing = maps(17, 2_717);
    BitSet told = new BitSet();
    for (int seed = 0; seed < 40; seed++) {
      told.or(new MissingReports(seed).next(missing));
    }
    assertThat(told).as("what 40 of them tell at once").isEqualTo(missing);
  }
}
