package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** What is counted of map attempts comes back from packed tables, summed over them. */
class AttemptTablePropertyTest {
  private static final Comparator<Attempt> ORDER =
      Comparator.comparingInt(Attempt::map).thenComparingLong(Attempt::id);

  record Attempt(int map, long id) {}

  /** As simple as can be: blocks, lasts, sum of lasts' sequences plus 1. */
  private final Map<Attempt, long[]> expected = new TreeMap<>(ORDER);

  @Provide
  Arbitrary<List<TestBlocks.Of>> blocks() {
    Arbitrary<Integer> maps =
        Arbitraries.oneOf(
            Arbitraries.integers().between(0, 30), Arbitraries.integers().greaterOrEqual(0));
    Arbitrary<Long> attempts =
        Arbitraries.oneOf(Arbitraries.longs().between(0, 3), Arbitraries.longs());
    Arbitrary<Integer> sequences =
        Arbitraries.oneOf(
            Arbitraries.integers().between(0, 2), Arbitraries.integers().greaterOrEqual(0));
    return Combinators.combine(maps, attempts, sequences, Arbitraries.of(true, false))
        .as(TestBlocks.Of::new)
        .list()
        .ofMaxSize(300);
  }

  @Property(tries = 300)
  void blocksOfManyUnitsAreSummed(
      @ForAll("blocks") List<TestBlocks.Of> blocks, @ForAll @IntRange(min = 1, max = 5) int units) {
    expected.clear();
    AttemptTableWriter writer = new AttemptTableWriter(1000);
    MapTally told = new MapTally(1 << 20);
    MapTally merged = new MapTally(1 << 20);
    for (int unit = 0; unit < units; unit++) {
      writer.reset();
      for (int i = unit; i < blocks.size(); i += units) {
        stage(writer, blocks.get(i));
      }
      ByteBuffer table = pack(writer, 1 << 16);
      MapTally ofUnit = new MapTally(1 << 20);
      AttemptTable.addTo(ofUnit, table.duplicate());
      merged.add(ofUnit);
      AttemptTable.addTo(told, table);
    }

    assertThat(told.attempts()).isEqualTo(expected.size());
    assertThat(TestBlocks.whole(told, 0)).isEqualTo(whole(0));
    assertThat(TestBlocks.whole(merged, 0)).isEqualTo(whole(0));
    int middle = blocks.isEmpty() ? 0 : blocks.get(0).map();
    assertThat(TestBlocks.whole(told, middle)).isEqualTo(whole(middle));
  }

  private void stage(AttemptTableWriter writer, TestBlocks.Of block) {
    writer.block(block.map(), block.attempt(), block.sequence(), block.last());
    long[] counts =
        expected.computeIfAbsent(new Attempt(block.map(), block.attempt()), attempt -> new long[3]);
    counts[0]++;
    counts[1] += block.last() ? 1 : 0;
    counts[2] += block.last() ? block.sequence() + 1L : 0;
  }

  private static ByteBuffer pack(AttemptTableWriter writer, int room) {
    ByteBuffer table = ByteBuffer.allocate(room);
    writer.pack(table);
    return table.flip();
  }

  private List<String> whole(int firstMap) {
    List<String> whole = new ArrayList<>();
    expected.forEach(
        (attempt, counts) -> {
          if (attempt.map() >= firstMap && counts[1] > 0 && counts[0] == counts[2]) {
            whole.add(attempt.map() + "/" + attempt.id() + ":" + counts[1]);
          }
        });
    return whole;
  }

  @Property(tries = 100)
  void aTableWithoutRoomIsEmptyAndTheNextOneIsNot(@ForAll @IntRange(max = 200) int room) {
    AttemptTableWriter writer = new AttemptTableWriter(8);
    for (int map = 0; map < 8; map++) {
      writer.block(map, map, 0, true);
    }
    int length = pack(writer, 200).limit();
    assertThat(length).isEqualTo(8 * 3);
    assertThat(pack(writer, room).limit()).isIn(0, length);
    assertThat(pack(writer, 8).limit()).isZero();
    writer.block(8, 8, 0, true);
    assertThat(pack(writer, 200).limit()).as("one attempt too many").isZero();

    writer.reset();
    writer.block(8, 8, 0, true);

    MapTally tally = new MapTally(1 << 20);
    AttemptTable.addTo(tally, pack(writer, 200));
    assertThat(TestBlocks.whole(tally, 0)).containsExactly("8/8:1");
  }

  @Property(tries = 1000)
  void arbitraryTablesUnpackOrAreRefused(@ForAll @Size(max = 100) byte[] table) {
    try {
      MapTally tally = new MapTally(1 << 20);
      AttemptTable.addTo(tally, ByteBuffer.wrap(table));
      assertThat(tally.attempts()).isLessThanOrEqualTo(table.length / 3);
    } catch (SluiceException refused) {
      assertThat(refused.code()).isEqualTo(ErrorCode.CORRUPT_UNIT);
    }
  }

  @Property(tries = 30)
  void aTallyThatIsFullGoesOnWithTheAttemptsThatItHas(
      @ForAll @IntRange(min = 1, max = 200) int room) {
    MapTally tally = new MapTally(room);
    for (int map = 300; map > 0; map--) {
      tally.add(map, 1, 1, 0, 0);
    }
    for (int map = 300; map > 0; map--) {
      tally.add(map, 1, 1, 1, 2);
    }

    List<String> whole = TestBlocks.whole(tally, 0);
    assertThat(whole).hasSize(room).contains("300/1:1");
    List<String> first = new ArrayList<>();
    tally.forEachWhole(0, (map, attempt, lasts) -> !first.add(map + "/" + attempt + ":" + lasts));
    assertThat(first).containsExactly(whole.get(0));
  }
}
