package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a reader of some maps has to read of an extent. */
class ExtentIndexTest {
  private static final int KIB = 1 << 10;
  private static final int STEP = ExtentTableWriter.SPARSE_STEP;

  // Bytes of each map that is there.
  private final TreeMap<Integer, Integer> lengths = new TreeMap<>();

  private Extent extent() {
    ExtentTableWriter writer = new ExtentTableWriter(ByteBuffer.allocate(64 * KIB));
    writer.reset();
    int length = lengths.values().stream().mapToInt(Integer::intValue).sum();
    assertThat(writer.fits(length)).isTrue();
    int room = 5 * (6 + 8 * (length / STEP));
    writer.begin(0);
    int offset = 0;
    for (Map.Entry<Integer, Integer> map : lengths.entrySet()) {
      for (int at = 0; at < map.getValue(); at += 8 * KIB) {
        writer.block(map.getKey(), offset + at);
      }
      offset += map.getValue();
    }
    writer.end(length);
    assertThat(writer.packed().remaining()).isLessThanOrEqualTo(room);
    return ExtentTable.unpack(writer.packed(), 1, 7, 0, length).get(0);
  }

  private static int read(Extent extent, int firstMap, int endMap) {
    return Math.max(0, extent.endFor(endMap) - extent.startFor(firstMap));
  }

  @Test
  void whoWantsAMapThatIsNotThereReadsNothingOfLongOnes() {
    lengths.put(2, 2048 * KIB);
    lengths.put(9, 1024 * KIB);
    lengths.put(20, 512 * KIB);
    Extent extent = extent();

    for (int absent : new int[] {0, 1, 3, 5, 8, 10, 19, 21}) {
      assertThat(read(extent, absent, absent + 1)).as("map %s", absent).isZero();
    }
    assertThat(read(extent, 9, 10)).isEqualTo(1024 * KIB);
    assertThat(read(extent, 3, 20)).isEqualTo(1024 * KIB);
    assertThat(read(extent, 0, 30)).isEqualTo(extent.length());
  }

  @Test
  void aLongMapBehindAShortOneIsReadByNobodyElse() {
    lengths.put(2, KIB);
    lengths.put(9, 1024 * KIB);
    Extent extent = extent();

    assertThat(read(extent, 2, 3)).isEqualTo(KIB);
    assertThat(read(extent, 3, 9)).isZero();
    assertThat(read(extent, 9, 10)).isEqualTo(1024 * KIB);
  }

  @Test
  void whatIsReadBesidesIsBounded() {
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 300; round++) {
      lengths.clear();
      int longest = random.nextInt(1, 300) * KIB;
      int step = random.nextInt(1, 5);
      for (int map = random.nextInt(5), left = 4096 * KIB; left > longest; ) {
        int length = random.nextInt(100, longest);
        lengths.put(map, length);
        left -= length;
        map += random.nextInt(1, step + 1);
      }
      Extent extent = extent();
      int offset = 0;
      for (int map = 0; map <= lengths.lastKey() + 1; map++) {
        int own = lengths.getOrDefault(map, 0);
        assertThat(read(extent, map, map + 1)).isBetween(own, own + 2 * STEP);
        if (own > 0) {
          assertThat(extent.startFor(map)).isLessThanOrEqualTo(offset);
          assertThat(extent.endFor(map + 1)).isGreaterThanOrEqualTo(offset + own);
        }
        offset += own;
      }
    }
  }
}
