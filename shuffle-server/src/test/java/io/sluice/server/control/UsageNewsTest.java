package io.sluice.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.proto.control.v1.ApplicationUsage;
import io.sluice.server.control.UsageNews.Use;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UsageNewsTest {
  private static final long MIB = 1 << 20;

  private final UsageNews news = new UsageNews();

  private static ApplicationId id(long number) {
    return ApplicationId.of(1, number);
  }

  @Test
  void tellsWhatChangedAndOnceWhatIsGone() {
    assertThat(bytes(news.next(Map.of(id(1), new Use(100, 2))))).containsExactly(100L);
    assertThat(news.next(Map.of(id(1), new Use(100 + MIB, 2)))).as("too little").isEmpty();
    assertThat(news.next(Map.of(id(1), new Use(100, 3)))).hasSize(1);
    assertThat(bytes(news.next(Map.of(id(1), new Use(200 * MIB, 3))))).containsExactly(200 * MIB);
    assertThat(news.next(Map.of(id(1), new Use(203 * MIB, 3)))).as("below a 64th").isEmpty();

    assertThat(bytes(news.next(Map.of()))).containsExactly(0L);
    assertThat(news.next(Map.of())).isEmpty();
  }

  @Test
  void tellsEverythingOnANewStream() {
    news.next(Map.of(id(1), new Use(100, 2)));
    news.begin();
    assertThat(news.next(Map.of(id(1), new Use(100, 2)))).hasSize(1);
  }

  @Test
  void nobodyWaitsForEverWhereAllChangeAllTheTime() {
    int all = 3 * UsageNews.LIMIT;
    Set<Long> told = new HashSet<>();
    for (int round = 1; round <= 3; round++) {
      Map<ApplicationId, Use> now = new LinkedHashMap<>();
      for (int i = 0; i < all; i++) {
        now.put(id(i), new Use(round * 10L * MIB, round));
      }
      List<ApplicationUsage> report = news.next(now);
      assertThat(report).hasSize(UsageNews.LIMIT);
      report.forEach(use -> told.add(use.getApplication().getLow()));
    }
    assertThat(told).hasSize(all);
  }

  private static List<Long> bytes(List<ApplicationUsage> report) {
    return report.stream().map(ApplicationUsage::getBytes).toList();
  }
}
