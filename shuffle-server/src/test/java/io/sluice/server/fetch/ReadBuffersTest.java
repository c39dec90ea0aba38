package io.sluice.server.fetch;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadBuffersTest {
  private static final ReadBufferPool.Taker NOBODY = free -> false;

  private final NamedStore slow = new NamedStore("slow");
  private final NamedStore fast = new NamedStore("fast");
  private final ReadBuffers buffers = new ReadBuffers(4096, 8, List.of(slow, fast));

  private static List<ReadBuffer> takeAll(ReadBufferPool pool) {
    List<ReadBuffer> taken = new ArrayList<>();
    ReadBuffer next = pool.tryTake("app", "connection", NOBODY);
    while (next != null) {
      taken.add(next);
      next = pool.tryTake("app", "connection", NOBODY);
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
    ReadBuffer only = pool.tryTake("crowd", "c0", NOBODY);
    assertThat(only).isNotNull();
    List<String> turns = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      String connection = "c" + i;
      assertThat(pool.tryTake("crowd", connection, releasing(connection, turns))).isNull();
    }
    assertThat(pool.tryTake("single", "s", releasing("s", turns))).isNull();
    only.release();
    assertThat(turns).containsExactly("c1", "s", "c2", "c3");
    assertThat(pool.inUse()).isZero();
  }

  @Test
  void nobodyWhoComesLaterHasTheBufferOfOneWhoseTurnItIs() {
    ReadBufferPool pool = new ReadBufferPool(4096, 1);
    ReadBuffer only = requireNonNull(pool.tryTake("app", "first", NOBODY));
    List<ReadBuffer> handed = new ArrayList<>();
    assertThat(pool.tryTake("app", "waits", handed::add)).isNull();
    only.release();
    assertThat(handed).hasSize(1);
    List<ReadBuffer> later = new ArrayList<>();
    assertThat(pool.tryTake("app", "late", later::add)).isNull();
    handed.get(0).release();
    assertThat(later).hasSize(1);
    later.get(0).release();
    assertThat(pool.inUse()).isZero();
  }

  @Test
  void oneThatIsNotUsedOrWhoseTakerIsGoneIsTheNextOnes() {
    ReadBufferPool pool = new ReadBufferPool(4096, 1);
    ReadBuffer only = requireNonNull(pool.tryTake("a", "a0", NOBODY));
    List<String> turns = new ArrayList<>();
    assertThat(
            pool.tryTake(
                "a",
                "a1",
                buffer -> {
                  pool.takeUnused("a", buffer);
                  return true;
                }))
        .isNull();
    assertThat(pool.tryTake("a", "gone", NOBODY)).isNull();
    assertThat(pool.tryTake("a", "a2", releasing("a2", turns))).isNull();
    only.release();
    assertThat(turns).containsExactly("a2");
    assertThat(pool.inUse()).isZero();
  }

  private static ReadBufferPool.Taker releasing(String name, List<String> turns) {
    return buffer -> {
      turns.add(name);
      buffer.release();
      return true;
    };
  }
}
