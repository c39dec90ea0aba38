package io.sluice.server.fetch;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.World;
import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.Extent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExtentQueueTest {
  private static final int LENGTH = 1000;

  /** Numbers of segments; each extent has one of its own. */
  private final Set<Long> atHand = new TreeSet<>();

  private final NamedStore store = new NamedStore("disk", e -> atHand.contains(e.segment()));
  private final Convoy convoy = new Convoy(new World(1), 100);

  private ExtentQueue queue(int extents, @Nullable Passage passage) {
    List<StoredExtent> stored =
        LongStream.range(0, extents)
            .mapToObj(number -> new Extent(7, number, 0, LENGTH, 1, 0, 9, new int[0], new int[0]))
            .map(extent -> new StoredExtent(store, extent))
            .toList();
    return new ExtentQueue(7, MapRange.ALL, stored, passage);
  }

  private Passage join(int extents) {
    return convoy.join(extents, () -> {}, convoy::remove);
  }

  private static long next(ExtentQueue queue) {
    ExtentWork work = queue.next();
    assertThat(work.partition()).isEqualTo(7);
    return work.source().extent().segment();
  }

  private static List<Long> rest(ExtentQueue queue) {
    List<Long> segments = new ArrayList<>();
    while (!queue.isEmpty()) {
      segments.add(next(queue));
    }
    return segments;
  }

  @Test
  void comesInOrderWhereNothingIsAtHand() {
    assertThat(rest(queue(4, null))).containsExactly(0L, 1L, 2L, 3L);
    assertThat(ExtentQueue.empty().isEmpty()).isTrue();
  }

  @Test
  void whatIsAtHandComesFirstAndEachOnce() {
    ExtentQueue queue = queue(5, null);
    atHand.add(3L);
    assertThat(next(queue)).isEqualTo(3);
    assertThat(next(queue)).isEqualTo(4);
    atHand.add(1L);

    assertThat(rest(queue)).containsExactly(1L, 2L, 0L);
  }

  @Test
  void beginsWhereOthersAreAndStaysWithThem() {
    Passage leader = join(5);
    leader.read(2, LENGTH, 50);
    ExtentQueue late = queue(5, join(5));
    // Nobody leaves the others for what lies in memory: that is what they have just read.
    atHand.add(0L);

    assertThat(rest(late)).containsExactly(2L, 3L, 4L, 0L, 1L);
  }

  @Test
  void aloneInAConvoyItTakesWhatIsAtHand() {
    ExtentQueue queue = queue(3, join(3));
    atHand.add(2L);

    assertThat(rest(queue)).containsExactly(2L, 0L, 1L);
  }

  @Test
  void theFirstOfSeveralStoresThatHasOneAtHandComesFirst() {
    NamedStore other = new NamedStore("other", extent -> extent.segment() == 3);
    List<StoredExtent> stored = new ArrayList<>();
    for (long number = 0; number < 6; number++) {
      Extent extent = new Extent(7, number, 0, LENGTH, 1, 0, 9, new int[0], new int[0]);
      stored.add(new StoredExtent(number % 2 == 0 ? store : other, extent));
    }
    ExtentQueue queue = new ExtentQueue(7, MapRange.ALL, stored, null);
    atHand.add(4L);

    assertThat(rest(queue)).containsExactly(3L, 4L, 5L, 0L, 1L, 2L);
  }

  @Test
  void looksNoFurtherAheadThanThereMayBeWindows() {
    ExtentQueue queue = queue(100, null);
    atHand.add(64L);
    assertThat(next(queue)).isZero();
    assertThat(next(queue)).isEqualTo(64);
  }

  @Test
  void leavesItsConvoyWithTheLastRead() {
    Passage reading = join(1);
    Passage other = join(1);
    ExtentWork last = queue(1, reading).next();
    ReadBufferPool buffers = new ReadBufferPool(LENGTH, 2);
    last.issue(requireNonNull(buffers.tryTake("app", "connection", free -> false)), LENGTH / 2);
    assertThat(other.alone()).isFalse();
    last.issue(requireNonNull(buffers.tryTake("app", "connection", free -> false)), LENGTH / 2);
    assertThat(other.alone()).isTrue();
  }

  @Test
  void leavesItsConvoyAtOnceWhereNothingIsToBeRead() {
    Passage reading = join(1);
    Passage other = join(1);
    Extent extent = new Extent(7, 0, 0, LENGTH, 1, 0, 9, new int[0], new int[0]);
    List<StoredExtent> stored = List.of(new StoredExtent(store, extent));
    new ExtentQueue(7, new MapRange(10, 20), stored, reading).next();
    assertThat(other.alone()).isTrue();
  }

  @Test
  void aConvoyOfARangeOfMapsCountsWhatIsReadOfItsExtents() {
    int[] maps = {0, 5};
    int[] offsets = {0, 900};
    Extent extent = new Extent(7, 0, 0, LENGTH, 10, 0, 9, maps, offsets);
    assertThat(ExtentWork.part(extent, new MapRange(5, 10)).length()).isEqualTo(100);
    assertThat(ExtentWork.part(extent, new MapRange(0, 5)).length()).isEqualTo(900);
    assertThat(ExtentWork.part(extent, MapRange.ALL).length()).isEqualTo(LENGTH);
    assertThat(ExtentWork.part(extent, new MapRange(20, 30)).length()).isZero();
  }

  @Test
  void leavesItsConvoyWhenTheLastExtentIsReadOrGivenUp() {
    Passage reading = join(1);
    Passage other = join(1);
    ExtentWork last = queue(1, reading).next();
    assertThat(other.alone()).isFalse();
    last.close();
    assertThat(other.alone()).isTrue();

    ExtentQueue givenUp = queue(1, join(1));
    assertThat(other.alone()).isFalse();
    givenUp.close();
    givenUp.close();
    assertThat(other.alone()).isTrue();
  }
}
