package io.sluice.server.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadBuffersTest {
  private final NamedStore slow = new NamedStore("slow");
  private final NamedStore fast = new NamedStore("fast");
  private final ReadBuffers buffers = new ReadBuffers(4096, 8, List.of(slow, fast));

  private static List<ReadBuffer> takeAll(ReadBufferPool pool) {
    List<ReadBuffer> taken = new ArrayList<>();
    ReadBuffer next = pool.tryTake("app", "connection", () -> {});
    while (next != null) {
      taken.add(next);
      next = pool.tryTake("app", "connection", () -> {});
    }
    return taken;
  }

  @Test
  void aDiskThatKeepsItsShareLeavesTheOthersTheirs() {
    List<ReadBuffer> stuck = takeAll(buffers.of(slow));
    List<ReadBuffer> moving = takeAll(buffers.of(fast));

    assertThat(stuck).hasSize(4);
    assertThat(moving).hasSize(4);
    assertThat(buffers.inUse()).isEqualTo(8);
    moving.forEach(ReadBuffer::release);
    stuck.forEach(ReadBuffer::release);
    assertThat(buffers.inUse()).isZero();
  }

  @Test
  void aDiskHasPlentyWhileMoreThanHalfOfItsOwnAreFree() {
    assertThat(buffers.of(slow).hasPlenty()).isTrue();
    List<ReadBuffer> all = takeAll(buffers.of(slow));
    assertThat(buffers.of(slow).hasPlenty()).isFalse();
    assertThat(buffers.of(fast).hasPlenty()).isTrue();
    all.forEach(ReadBuffer::release);
    assertThat(buffers.of(slow).hasPlenty()).isTrue();
  }

  @Test
  void everyDiskHasOneHoweverManyThereAre() {
    ReadBuffers few = new ReadBuffers(4096, 1, List.of(slow, fast));

    assertThat(takeAll(few.of(slow))).hasSize(1);
    assertThat(takeAll(few.of(fast))).hasSize(1);
  }

  @Test
  void applicationsTakeTurnsHoweverManyConnectionsTheyHave() {
    ReadBufferPool pool = new ReadBufferPool(4096, 1);
    ReadBuffer only = pool.tryTake("crowd", "c0", () -> {});
    assertThat(only).isNotNull();
    List<String> woken = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      String connection = "c" + i;
      assertThat(pool.tryTake("crowd", connection, () -> woken.add(connection))).isNull();
    }
    assertThat(pool.tryTake("single", "s", () -> woken.add("s"))).isNull();
    only.release();
    pool.passOn();
    pool.passOn();
    pool.passOn();
    assertThat(woken).containsExactly("c1", "s", "c2", "c3");
  }
}
