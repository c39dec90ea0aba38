package io.sluice.server.fair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnQueueTest {
  private final TurnQueue<String, String> queue = new TurnQueue<>();

  private List<String> drain() {
    List<String> order = new ArrayList<>();
    while (!queue.isEmpty()) {
      String next = queue.peek();
      assertThat(queue.poll(1000, 1)).isEqualTo(next);
      order.add(next);
    }
    assertThat(queue.peek()).isNull();
    return order;
  }

  @Test
  void takesTurnsBetweenApplicationsAndBetweenTheirConnections() {
    queue.add("a", "c1", "a.c1.1");
    queue.add("a", "c1", "a.c1.2");
    queue.add("a", "c1", "a.c1.3");
    queue.add("a", "c2", "a.c2.1");
    queue.add("b", "c3", "b.c3.1");
    queue.add("b", "c3", "b.c3.2");
    assertThat(queue.size()).isEqualTo(6);
    assertThat(drain()).containsExactly("a.c1.1", "b.c3.1", "a.c2.1", "b.c3.2", "a.c1.2", "a.c1.3");
  }

  @Test
  void letsNobodyKeepATurnByAskingAgain() {
    queue.add("a", "c", "a1");
    queue.add("b", "c", "b1");
    assertThat(queue.poll(1000, 1)).isEqualTo("a1");
    queue.add("a", "c", "a2");
    assertThat(drain()).containsExactly("b1", "a2");
  }

  @Test
  void letsWhoIsDueMoreHaveMore() {
    for (int i = 0; i < 6; i++) {
      queue.add("due 2", "c", "more");
      queue.add("due 1", "c", "less");
    }
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      order.add(queue.poll(1000, "more".equals(queue.peek()) ? 2 : 1));
    }
    assertThat(order).containsExactly("more", "less", "more", "less", "more", "more");
  }

  @Test
  void forgetsWantsOutOfTurn() {
    queue.add("a", "c1", "a1");
    queue.add("a", "c1", "a2");
    queue.add("b", "c2", "b1");
    assertThat(queue.remove("a", "c1", "a1")).isTrue();
    assertThat(queue.remove("a", "c1", "a1")).isFalse();
    assertThat(queue.remove("b", "c2", "b1")).isTrue();
    assertThat(queue.remove("b", "c2", "b1")).isFalse();
    assertThat(queue.size()).isEqualTo(1);
    assertThat(drain()).containsExactly("a2");
  }

  @Test
  void givesUpEverythingAtOnce() {
    queue.add("a", "c1", "a1");
    queue.add("a", "c2", "a2");
    queue.add("b", "c3", "b1");
    assertThat(queue.removeAll()).containsExactly("a1", "a2", "b1");
    assertThat(queue.isEmpty()).isTrue();
    queue.add("b", "c3", "b2");
    assertThat(drain()).containsExactly("b2");
  }
}
