package io.sluice.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import org.junit.jupiter.api.Test;

class UnheardNewsTest {
  private final UnheardNews news = new UnheardNews();

  @Test
  void tellsNobodyWhileTheServerIsHeard() {
    assertThat(news.isDue(shuffle(1), 0)).isFalse();
  }

  @Test
  void tellsOncePerShuffleAndTime() {
    assertThat(news.isDue(shuffle(1), 1)).isTrue();
    assertThat(news.isDue(shuffle(1), 1)).isFalse();
    assertThat(news.isDue(shuffle(2), 1)).isTrue();
    assertThat(news.isDue(shuffle(1), 2)).isTrue();
    assertThat(news.isDue(shuffle(1), 2)).isFalse();
  }

  @Test
  void tellsAnewAfterTheServerWasHeard() {
    assertThat(news.isDue(shuffle(1), 1)).isTrue();
    assertThat(news.isDue(shuffle(1), 0)).isFalse();
    assertThat(news.isDue(shuffle(1), 1)).isTrue();
  }

  @Test
  void remembersSoManyShufflesAndNoMore() {
    int told = 0;
    for (int round = 0; round < 2; round++) {
      for (int shuffle = 0; shuffle < 10_000; shuffle++) {
        told += news.isDue(shuffle(shuffle), 1) ? 1 : 0;
      }
    }
    assertThat(told).isEqualTo(256);
  }

  private static ShuffleKey shuffle(int id) {
    return new ShuffleKey(ApplicationId.of(1, 2), id, 0);
  }
}
