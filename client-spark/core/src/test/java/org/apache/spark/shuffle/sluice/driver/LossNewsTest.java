package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LossNewsTest {
  private static final List<PlacedServer> USED = List.of(server(0), server(1), server(2));

  private final LossNews news = new LossNews();

  @Test
  void eachIsToldOnce() {
    assertThat(news.of(USED, server -> false)).isEmpty();
    assertThat(news.of(USED, Set.of(server(1))::contains)).containsExactly(server(1));
    assertThat(news.of(USED, Set.of(server(1), server(2))::contains)).containsExactly(server(2));
    assertThat(news.of(USED, Set.of(server(1), server(2))::contains)).isEmpty();
  }

  /** As after a snapshot that lacks it, and another that has it. */
  @Test
  void oneThatCameBackIsToldAgain() {
    assertThat(news.of(USED, Set.of(server(1))::contains)).containsExactly(server(1));
    assertThat(news.of(USED, server -> false)).isEmpty();
    assertThat(news.of(USED, Set.of(server(1))::contains)).containsExactly(server(1));
  }

  @Test
  void whatNoShuffleNamesIsForgotten() {
    assertThat(news.of(USED, Set.of(server(1))::contains)).containsExactly(server(1));
    assertThat(news.of(List.of(server(0)), Set.of(server(1))::contains)).isEmpty();
    assertThat(news.of(USED, Set.of(server(1))::contains)).containsExactly(server(1));
  }
}
