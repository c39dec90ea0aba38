package io.sluice.server.credit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WantQueueTest {
  private final WantQueue<String> queue = new WantQueue<>();

  private List<String> drain() {
    List<String> order = new ArrayList<>();
    while (!queue.isEmpty()) {
      assertThat(queue.peek()).isNotNull();
      order.add(queue.poll());
    }
    assertThat(queue.peek()).isNull();
    return order;
  }

  @Test
  void takesTurnsBetweenApplications() {
    queue.add("a", "a1");
    queue.add("a", "a2");
    queue.add("a", "a3");
    queue.add("b", "b1");
    queue.add("c", "c1");
    queue.add("b", "b2");
    assertThat(queue.size()).isEqualTo(6);
    assertThat(drain()).containsExactly("a1", "b1", "c1", "a2", "b2", "a3");
  }

  @Test
  void letsNobodyKeepATurnByAskingAgain() {
    queue.add("a", "a1");
    queue.add("b", "b1");
    assertThat(queue.poll()).isEqualTo("a1");
    queue.add("a", "a2");
    assertThat(drain()).containsExactly("b1", "a2");
  }

  @Test
  void forgetsWantsOutOfTurn() {
    queue.add("a", "a1");
    queue.add("a", "a2");
    queue.add("b", "b1");
    assertThat(queue.remove("a", "a1")).isTrue();
    assertThat(queue.remove("a", "a1")).isFalse();
    assertThat(queue.removeIf(want -> want.startsWith("b"))).containsExactly("b1");
    assertThat(queue.size()).isEqualTo(1);
    assertThat(drain()).containsExactly("a2");
  }
}
