package io.sluice.server.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaseBudgetTest {
  private static final int MIB = 1 << 20;
  private static final int CHUNK = 256 * 1024;

  private final ChunkArena arena = new ChunkArena(new MemoryBudget(32 * MIB));
  // 8 MiB, of which an application has 4.
  private final LeaseBudget leases = LeaseBudget.ofArena(arena.capacity());
  private final List<Chunk> made = new ArrayList<>();
  private final List<String> told = new ArrayList<>();

  private Chunk chunk(int bytes) {
    try (MemoryReservation paid = requireNonNull(arena.budget().tryReserve(bytes))) {
      Chunk chunk = arena.allocate(paid, bytes);
      made.add(chunk);
      return chunk;
    }
  }

  private LeaseBudget.Line line(String application, String name) {
    return leases.line(application, leases.queue(() -> {}), () -> told.add(name));
  }

  /** Leases whole mebibytes, as far as there is room. */
  private List<Chunk> fill(LeaseBudget.Line line) {
    List<Chunk> lent = new ArrayList<>();
    Chunk next = chunk(MIB);
    while (next.lend(line)) {
      lent.add(next);
      next = chunk(MIB);
    }
    return lent;
  }

  private void freeAll() {
    made.forEach(Chunk::release);
    made.clear();
  }

  @Test
  void aChunkCountsAsAWholeAndOnce() {
    LeaseBudget.Line one = line("a", "1");
    LeaseBudget.Line other = line("a", "2");
    Chunk chunk = chunk(CHUNK);
    assertThat(chunk.lend(one)).isTrue();
    assertThat(chunk.lend(other)).isTrue();
    assertThat(chunk.lend(one)).isTrue();
    assertThat(leases.leased()).isEqualTo(CHUNK);
    // Flushed: only the readers have it.
    freeAll();
    assertThat(arena.chunkBytes()).isEqualTo(CHUNK);
    chunk.takeBack(one);
    chunk.takeBack(one);
    assertThat(leases.leased()).isEqualTo(CHUNK);
    chunk.takeBack(other);
    assertThat(leases.leased()).isZero();
    assertThat(arena.chunkBytes()).isZero();
    one.close();
    other.close();
    assertThat(leases.applications()).isZero();
  }

  @Test
  void whoIsRefusedHasNoLease() {
    LeaseBudget.Line line = line("a", "1");
    List<Chunk> lent = fill(line);
    assertThat(lent).hasSize(4);
    Chunk refused = chunk(MIB);
    assertThat(refused.lend(line)).isFalse();
    long before = arena.chunkBytes();
    refused.release();
    assertThat(arena.chunkBytes()).isEqualTo(before - MIB);
    made.remove(refused);
    lent.forEach(chunk -> chunk.takeBack(line));
    freeAll();
    assertThat(arena.chunkBytes()).isZero();
    assertThat(leases.leased()).isZero();
  }

  @Test
  void nobodyOvertakesWhoWaits() {
    LeaseBudget.Line one = line("a", "1");
    LeaseBudget.Line two = line("b", "2");
    List<Chunk> ofOne = fill(one);
    List<Chunk> ofTwo = fill(two);
    assertThat(leases.leased()).isEqualTo(leases.capacity());
    LeaseBudget.Line first = line("c", "first");
    LeaseBudget.Line second = line("d", "second");
    assertThat(first.await(MIB)).isFalse();
    assertThat(second.await(MIB)).isFalse();
    assertThat(leases.waiting()).isEqualTo(2);
    ofOne.remove(0).takeBack(one);
    assertThat(told).containsExactly("first");
    // What came free is kept.
    assertThat(leases.leased()).isEqualTo(leases.capacity());
    assertThat(chunk(MIB).lend(second)).isFalse();
    assertThat(chunk(4096).lend(line("e", "late"))).isFalse();
    Chunk mine = chunk(MIB);
    assertThat(mine.lend(first)).isTrue();
    first.leave();
    assertThat(told).containsExactly("first");
    mine.takeBack(first);
    assertThat(told).containsExactly("first", "second");
    // It has nothing to send any more.
    second.close();
    assertThat(leases.leased()).isEqualTo(7L * MIB);
    assertThat(leases.waiting()).isZero();
    ofOne.forEach(chunk -> chunk.takeBack(one));
    ofTwo.forEach(chunk -> chunk.takeBack(two));
    assertThat(leases.leased()).isZero();
  }

  @Test
  void whatIsKeptAndNotUsedIsTheNextOnes() {
    LeaseBudget.Line one = line("a", "1");
    LeaseBudget.Line two = line("b", "2");
    List<Chunk> ofOne = fill(one);
    fill(two);
    LeaseBudget.Line first = line("c", "first");
    LeaseBudget.Line second = line("d", "second");
    first.await(MIB);
    second.await(MIB);
    ofOne.remove(0).takeBack(one);
    assertThat(told).containsExactly("first");
    first.giveBackUnused();
    assertThat(told).containsExactly("first", "second");
    second.leave();
    assertThat(leases.leased()).isEqualTo(7L * MIB);
    assertThat(first.await(MIB)).isTrue();
    first.close();
    assertThat(leases.leased()).isEqualTo(7L * MIB);
  }

  @Test
  void anApplicationThatHasItsHalfHoldsUpNoOther() {
    LeaseBudget.Line greedy = line("a", "greedy");
    List<Chunk> held = fill(greedy);
    assertThat(leases.leased()).isEqualTo(leases.perApplication());
    List<LeaseBudget.Line> behind = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      LeaseBudget.Line line = line("a", "behind " + i);
      assertThat(line.await(MIB)).isFalse();
      behind.add(line);
    }
    LeaseBudget.Line other = line("b", "other");
    assertThat(fill(other)).hasSize(4);
    assertThat(told).isEmpty();
    // Its own go on, one after the other, as it gives back.
    held.remove(0).takeBack(greedy);
    assertThat(told).containsExactly("behind 0");
    behind.get(0).leave();
    assertThat(told).containsExactly("behind 0", "behind 1");
    behind.forEach(LeaseBudget.Line::close);
    assertThat(leases.waiting()).isZero();
    assertThat(leases.leased()).isEqualTo(7L * MIB);
  }

  @Test
  void connectionsOfAnApplicationTakeTurns() {
    LeaseBudget.Line greedy = line("a", "greedy");
    List<Chunk> held = fill(greedy);
    QueuedChunks busy = leases.queue(() -> {});
    for (int i = 0; i < 3; i++) {
      String name = "busy " + i;
      assertThat(leases.line("a", busy, () -> told.add(name)).await(MIB)).isFalse();
    }
    assertThat(line("a", "other").await(MIB)).isFalse();
    held.remove(0).takeBack(greedy);
    held.remove(0).takeBack(greedy);
    assertThat(told).containsExactly("busy 0", "other");
  }

  /** Something is kept for one that then needs more: what it gives back is enough for another. */
  @Test
  void whatIsGivenBackForWantOfMoreIsAnothers() {
    LeaseBudget.Line one = line("a", "1");
    List<Chunk> held = fill(one);
    LeaseBudget.Line more = line("a", "more");
    LeaseBudget.Line little = line("a", "little");
    assertThat(more.await(CHUNK)).isFalse();
    assertThat(little.await(CHUNK)).isFalse();
    Chunk small = chunk(CHUNK);
    held.remove(0).takeBack(one);
    assertThat(told).containsExactly("more", "little");
    told.clear();
    // All but a quarter of a mebibyte is on lease again.
    LeaseBudget.Line third = line("a", "third");
    assertThat(chunk(CHUNK).lend(third)).isTrue();
    assertThat(little.await(CHUNK)).isTrue();
    assertThat(small.lend(little)).isTrue();
    assertThat(chunk(CHUNK).lend(third)).isTrue();
    assertThat(leases.leased()).isEqualTo(leases.perApplication());
    LeaseBudget.Line behind = line("a", "behind");
    assertThat(behind.await(CHUNK)).isFalse();
    // The flush of the one before, say: the block it comes to now lies in a larger chunk.
    assertThat(more.await(MIB)).isFalse();
    assertThat(told).containsExactly("behind");
    assertThat(leases.waiting()).isEqualTo(1);
  }

  @Test
  void whoHasLeftIsNotTold() {
    LeaseBudget.Line one = line("a", "1");
    List<Chunk> held = fill(one);
    LeaseBudget.Line left = line("a", "left");
    LeaseBudget.Line behind = line("a", "behind");
    assertThat(left.await(MIB)).isFalse();
    assertThat(behind.await(CHUNK)).isFalse();
    Chunk small = chunk(CHUNK);
    assertThat(small.lend(left)).isFalse();
    left.close();
    left.close();
    held.forEach(chunk -> chunk.takeBack(one));
    assertThat(told).containsExactly("behind");
    behind.close();
    one.close();
    assertThat(leases.leased()).isZero();
    assertThat(leases.waiting()).isZero();
    assertThat(leases.applications()).isZero();
  }

  @Test
  void oneChunkIsAlwaysPossible() {
    LeaseBudget tiny = LeaseBudget.ofArena(MIB);
    LeaseBudget.Line line = tiny.line("a", tiny.queue(() -> {}), () -> {});
    Chunk chunk = chunk(MIB);
    assertThat(chunk.lend(line)).isTrue();
    assertThat(chunk(4096).lend(line)).isFalse();
    chunk.takeBack(line);
    assertThat(tiny.leased()).isZero();
  }
}
