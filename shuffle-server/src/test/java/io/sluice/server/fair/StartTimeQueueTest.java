package io.sluice.server.fair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartTimeQueueTest {
  private final StartTimeQueue<String> queue = new StartTimeQueue<>();

  /** Serves and lets wait again. */
  private String serve(double cost) {
    String served = queue.peek();
    assertThat(served).isNotNull();
    queue.serve(cost);
    queue.enter(served);
    return served;
  }

  @Test
  void takesTurnsInTheOrderOfArrival() {
    queue.enter("a");
    queue.enter("b");
    queue.enter("c");
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      order.add(serve(100));
    }
    assertThat(order).containsExactly("a", "b", "c", "a", "b", "c");
  }

  @Test
  void letsWhoTakesMoreWaitLonger() {
    queue.enter("large");
    queue.enter("small");
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      order.add(serve("large".equals(queue.peek()) ? 300 : 100));
    }
    assertThat(order)
        .containsExactly("large", "small", "small", "small", "large", "small", "small");
  }

  @Test
  void servesANewcomerNext() {
    queue.enter("a");
    queue.enter("b");
    for (int i = 0; i < 101; i++) {
      serve(100);
    }
    queue.enter("new");
    assertThat(queue.peek()).isEqualTo("new");
    assertThat(queue.headIsBehind()).isTrue();
  }

  @Test
  void callsNobodyBehindWhoHasJustBeenServed() {
    queue.enter("a");
    queue.serve(100);
    queue.enter("a");
    assertThat(queue.peek()).isEqualTo("a");
    assertThat(queue.headIsBehind()).isFalse();
  }

  @Test
  void putsWhoIsBehindBeforeWhoIsOnTime() {
    queue.enter("a");
    queue.enter("b");
    serve(100);
    serve(100);
    serve(100); // the time is 100, where b waits as well
    queue.enter("new");
    assertThat(queue.peek()).isEqualTo("new");
    queue.serve(1);
    assertThat(queue.peek()).isEqualTo("b");
  }

  @Test
  void keepsTheTagOfWhoLeavesUnserved() {
    queue.enter("a");
    queue.serve(100);
    queue.enter("a");
    queue.leave("a");
    queue.enter("b");
    queue.enter("a");
    assertThat(queue.peek()).isEqualTo("b");
    assertThat(queue.size()).isEqualTo(2);
  }

  @Test
  void forgetsWhoHasCaughtUp() {
    queue.enter("a");
    queue.serve(100);
    queue.enter("b");
    assertThat(queue.resting()).isEqualTo(1);
    serve(100);
    serve(100);
    serve(100);
    assertThat(queue.resting()).isZero();
  }

  @Test
  void remembersABoundedNumber() {
    for (int i = 0; i < 3 * StartTimeQueue.RESTING_MAX; i++) {
      queue.enter("app" + i);
      queue.serve(100);
    }
    assertThat(queue.resting()).isEqualTo(StartTimeQueue.RESTING_MAX);
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  void rejectsWaitingTwiceAndLeavingUnasked() {
    queue.enter("a");
    assertThatThrownBy(() -> queue.enter("a")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> queue.leave("b")).isInstanceOf(IllegalStateException.class);
  }
}
