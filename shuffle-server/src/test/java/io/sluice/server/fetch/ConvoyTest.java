package io.sluice.server.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.World;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ConvoyTest {
  private static final int EXTENT = 400;
  private static final int EXTENTS = 10;
  private static final int READ = 10;
  private static final long SPREAD = 100;
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(Convoy.PATIENCE_SECONDS);

  private final World world = new World(1);
  private final Convoy convoy = new Convoy(world, SPREAD);

  /** A stream that reads its extents in turn, {@value #READ} bytes at a time. */
  private final class Reader {
    final List<Integer> extents = new ArrayList<>();
    int woken;
    int wokenBefore;
    private final Passage passage = convoy.join(EXTENTS, this::wake, ConvoyTest.this::leave);
    private int read;

    private void wake() {
      woken++;
    }

    boolean read() {
      if (read == EXTENT * EXTENTS) {
        passage.leave();
        return false;
      }
      if (!passage.mayRead()) {
        return false;
      }
      int extent = (passage.first() + read / EXTENT) % EXTENTS;
      if (read % EXTENT == 0) {
        extents.add(extent);
      }
      read += READ;
      passage.read(extent, EXTENT, READ);
      return true;
    }

    int readAll() {
      int before = read;
      while (read()) {
        // The next piece.
      }
      return read - before;
    }
  }

  private void leave(Passage passage) {
    convoy.remove(passage).woken().forEach(Passage::wake);
  }

  @Test
  void nobodyGoesFurtherAheadThanTheSpread() {
    Reader fast = new Reader();
    Reader slow = new Reader();

    assertThat(fast.readAll()).isEqualTo((int) SPREAD);
    assertThat(slow.read()).isTrue();
    assertThat(fast.woken).isEqualTo(1);
    assertThat(fast.readAll()).isEqualTo(READ);
  }

  @Test
  void whoLeavesIsNotWaitedFor() {
    Reader fast = new Reader();
    Reader slow = new Reader();
    fast.readAll();
    slow.passage.leave();
    slow.passage.leave();

    assertThat(fast.woken).isEqualTo(1);
    assertThat(fast.readAll()).isEqualTo(EXTENT * EXTENTS - (int) SPREAD);
  }

  @Test
  void whoComesLateBeginsWhereTheOthersAreAndReadsTheRestInTheEnd() {
    Reader first = new Reader();
    first.readAll();
    first = new Reader();
    for (int i = 0; i < 3 * EXTENT + EXTENT / 2; i += READ) {
      assertThat(first.read()).isTrue();
    }
    Reader late = new Reader();
    assertThat(late.passage.first()).isEqualTo(4);
    first.passage.leave();
    late.readAll();

    assertThat(late.extents).containsExactly(4, 5, 6, 7, 8, 9, 0, 1, 2, 3);
  }

  @Test
  void whoComesJustAfterTheOthersBeganAnExtentBeginsItToo() {
    Reader first = new Reader();
    for (int i = 0; i < EXTENT + SPREAD / 2; i += READ) {
      assertThat(first.read()).isTrue();
    }

    assertThat(new Reader().passage.first()).isEqualTo(1);
  }

  @Test
  void whoDoesNotMoveIsWaitedForOnlySoLong() {
    Reader fast = new Reader();
    Reader stuck = new Reader();
    fast.readAll();
    world.advance(PATIENCE / 2);
    assertThat(fast.woken).isZero();
    world.advance(2 * PATIENCE);

    assertThat(fast.woken).isEqualTo(1);
    fast.readAll();
    assertThat(fast.extents).hasSize(EXTENTS);
    assertThat(stuck.readAll()).isEqualTo(EXTENT * EXTENTS);
  }

  /** It is what all of them wait for. */
  @Test
  void whoWaitsForTheDiskIsWaitedFor() {
    Reader fast = new Reader();
    Reader slow = new Reader();
    fast.readAll();
    slow.passage.awaitsDisk(true);
    world.advance(10 * PATIENCE);
    assertThat(fast.readAll()).isZero();
    slow.passage.awaitsDisk(false);
    world.advance(PATIENCE / 2);
    assertThat(fast.readAll()).isZero();
    world.advance(PATIENCE);

    assertThat(fast.readAll()).isPositive();
  }

  /** Nobody could have moved. */
  @Test
  void aProcessThatStandsStillBreaksNoConvoyUp() {
    Reader fast = new Reader();
    Reader slow = new Reader();
    fast.readAll();
    world.standStill(10 * PATIENCE);

    assertThat(fast.readAll()).isZero();
    assertThat(slow.read()).isTrue();
    assertThat(fast.readAll()).isEqualTo(READ);
  }

  @Test
  void manyWhoDoNotMoveAreWaitedForNoLongerThanOne() {
    Reader fast = new Reader();
    for (int i = 0; i < 49; i++) {
      new Reader().read();
    }
    fast.readAll();
    world.advance(3 * PATIENCE);

    assertThat(fast.woken).isEqualTo(1);
    fast.readAll();
    assertThat(fast.extents).hasSize(EXTENTS);
  }

  @Test
  void whoHasLeftReadsWithoutAsking() {
    Reader fast = new Reader();
    Reader slow = new Reader();
    fast.readAll();
    fast.passage.leave();

    assertThat(fast.passage.mayRead()).isTrue();
    slow.passage.leave();
    assertThat(fast.woken).isZero();
  }

  @Test
  void whoIsMuchSlowerIsNotWaitedForInTheEnd() {
    List<Reader> fast = List.of(new Reader(), new Reader(), new Reader());
    Reader slow = new Reader();
    for (int i = 0; i < 100; i++) {
      slow.read();
      fast.forEach(Reader::readAll);
      world.advance(PATIENCE / 20);
    }

    assertThat(fast).allSatisfy(reader -> assertThat(reader.extents).hasSize(EXTENTS));
    assertThat(slow.extents).hasSizeLessThan(EXTENTS);
  }

  @Test
  void whoCatchesUpIsWaitedForAgain() {
    Reader fast = new Reader();
    Reader stuck = new Reader();
    fast.readAll();
    world.advance(2 * PATIENCE);
    fast.read();
    for (int i = 0; i < SPREAD + 2 * READ; i += READ) {
      stuck.read();
    }
    fast.readAll();

    assertThat(fast.passage.position - stuck.passage.position).isEqualTo(SPREAD);
  }

  @Test
  void whatIsReadAgainHoldsOthersBack() {
    Reader one = new Reader();
    Reader other = new Reader();
    one.readAll();
    for (int i = 0; i < SPREAD; i += READ) {
      other.read();
    }
    other.passage.rewind(SPREAD);

    assertThat(other.passage.position).isZero();
    assertThat(one.read()).isFalse();
  }

  /**
   * Readers that act only when they are woken, at any speeds, some of them stuck: all others end.
   */
  @Property(tries = 100)
  void nobodyIsForgotten(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Reader> reading = new ArrayList<>();
    Set<Reader> refused = new HashSet<>();
    Set<Reader> stuck = new HashSet<>();
    for (int i = 0; i < 2 + random.nextInt(10); i++) {
      Reader reader = new Reader();
      (i > 0 && random.nextInt(4) == 0 ? stuck : reading).add(reader);
    }
    long deadline = world.clock().nanoTime() + 400 * PATIENCE;
    while (!reading.isEmpty()) {
      assertThat(world.clock().nanoTime()).as("all have ended").isLessThan(deadline);
      for (Reader reader : List.copyOf(reading)) {
        if (refused.contains(reader) && reader.woken == reader.wokenBefore) {
          continue;
        }
        refused.remove(reader);
        reader.wokenBefore = reader.woken;
        if (random.nextInt(3) > 0 && !reader.read()) {
          if (reader.read == EXTENT * EXTENTS) {
            reading.remove(reader);
          } else {
            refused.add(reader);
          }
        }
      }
      world.advance(random.nextLong(PATIENCE / 10));
    }
    stuck.forEach(reader -> reader.passage.leave());
    assertThat(convoy.alone()).isTrue();
  }

  /** Whatever comes and goes: all get everything, and close together if all are as fast. */
  @Property(tries = 200)
  void equalsStayTogetherAndAllEnd(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Reader> all = new ArrayList<>();
    for (int i = 0; i < 2 + random.nextInt(20); i++) {
      all.add(new Reader());
    }
    List<Reader> reading = new ArrayList<>(all);
    Set<Reader> refused = new HashSet<>();
    while (!reading.isEmpty()) {
      // Who was refused asks again when it is woken, and not before.
      refused.removeIf(reader -> reader.woken > reader.wokenBefore);
      List<Reader> free = reading.stream().filter(reader -> !refused.contains(reader)).toList();
      assertThat(free).as("who can go on, or all would wait for ever").isNotEmpty();
      Reader reader = free.get(random.nextInt(free.size()));
      reader.wokenBefore = reader.woken;
      boolean did = reader.read();
      if (!did && reader.read == EXTENT * EXTENTS) {
        reading.remove(reader);
      } else if (!did) {
        refused.add(reader);
      }
      world.advance(random.nextInt(1000));
      for (Reader other : reading) {
        assertThat(reader.passage.position - other.passage.position).isLessThanOrEqualTo(SPREAD);
      }
    }
    assertThat(all).allSatisfy(reader -> assertThat(reader.extents).hasSize(EXTENTS));
  }
}
