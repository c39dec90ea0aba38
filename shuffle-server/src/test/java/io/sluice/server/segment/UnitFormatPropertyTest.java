package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.disk.AlignedBuffers;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.partition.Shuffle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** What is staged comes back from the bytes on disk, and nothing else does. */
class UnitFormatPropertyTest {
  private static final DiskOptions OPTIONS = DiskOptions.ssd().withSizes(256 << 10, 1 << 20);
  private static final UnitPosition POSITION = new UnitPosition(5, 1 << 20, 9, 77);

  /** Blocks of one partition: distance from the previous one, and per block map step and length. */
  record Content(int partitionStep, List<int[]> blocks) {}

  @Provide
  Arbitrary<List<Content>> units() {
    Arbitrary<int[]> block =
        Combinators.combine(
                Arbitraries.integers().between(0, 1000), Arbitraries.integers().between(0, 9000))
            .as((mapStep, length) -> new int[] {mapStep, length});
    Arbitrary<Content> content =
        Combinators.combine(
                Arbitraries.integers().between(1, 30_000), block.list().ofMinSize(1).ofMaxSize(40))
            .as(Content::new);
    return content.list().ofMinSize(1).ofMaxSize(30);
  }

  @Provide
  Arbitrary<ShuffleKey> shuffles() {
    return Combinators.combine(
            Arbitraries.longs(),
            Arbitraries.longs(),
            Arbitraries.integers().greaterOrEqual(0),
            Arbitraries.integers().greaterOrEqual(0))
        .as(
            (high, low, id, generation) ->
                new ShuffleKey(ApplicationId.of(high, low), id, generation));
  }

  @Property(tries = 300)
  void roundTrips(@ForAll("shuffles") ShuffleKey shuffle, @ForAll("units") List<Content> contents) {
    StagedUnit unit = newUnit(shuffle);
    List<List<int[]>> staged = stage(unit, contents);
    unit.submit();
    UnitHeader header = unit.header(POSITION);

    ByteBuffer bytes = unit.seal(header).slice();

    assertThat(bytes.remaining()).isEqualTo(header.unitLength());
    assertThat(header.unitLength() % Disk.ALIGNMENT).isZero();
    UnitHeader decoded = UnitHeader.decode(bytes, 0, new Crc32c());
    assertThat(decoded).isEqualTo(header);
    List<Extent> extents = decoded.unpackExtents(bytes, 0);
    assertThat(extents).hasSize(staged.size());
    for (int i = 0; i < extents.size(); i++) {
      checkExtent(bytes, extents.get(i), staged.get(i));
    }
    MapTally tally = new MapTally(1 << 20);
    AttemptTable.addTo(tally, decoded.attemptTable(bytes, 0));
    assertThat(TestBlocks.whole(tally, 0)).isEqualTo(whole(staged));
  }

  /** The only blocks of their maps in their partitions, as far as maps differ. */
  private static List<String> whole(List<List<int[]>> extents) {
    TreeMap<Integer, Integer> blocks = new TreeMap<>();
    for (List<int[]> extent : extents) {
      extent.forEach(block -> blocks.merge(block[0], 1, Integer::sum));
    }
    return blocks.entrySet().stream()
        .map(map -> map.getKey() + "/" + (1000 + map.getKey()) + ":" + map.getValue())
        .toList();
  }

  /** Every block is where the extent's index lets a reader of its map look. */
  private static void checkExtent(ByteBuffer unit, Extent extent, List<int[]> blocks) {
    assertThat(extent.segment()).isEqualTo(POSITION.segment());
    assertThat(extent.blocks()).isEqualTo(blocks.size());
    assertThat(extent.firstMap()).isEqualTo(blocks.get(0)[0]);
    assertThat(extent.lastMap()).isEqualTo(blocks.get(blocks.size() - 1)[0]);
    int offset = 0;
    int start = (int) (extent.offset() - POSITION.offset());
    for (int[] block : blocks) {
      int map = block[0];
      assertThat(BlockHeader.partition(unit, start + offset)).isEqualTo(extent.partition());
      assertThat(BlockHeader.mapIndex(unit, start + offset)).isEqualTo(map);
      assertThat(BlockHeader.crcMatches(unit, start + offset, new Crc32c())).isTrue();
      assertThat(extent.startFor(map)).isLessThanOrEqualTo(offset);
      offset += BlockHeader.LENGTH + block[1];
      assertThat(extent.endFor(map + 1)).isGreaterThanOrEqualTo(offset);
    }
    assertThat(extent.length()).isEqualTo(offset);
    assertThat(extent.startFor(extent.lastMap() + 1)).isEqualTo(extent.length());
    assertThat(extent.endFor(extent.firstMap())).isZero();
  }

  @Property(tries = 300)
  void arbitraryTablesUnpackOrAreRefused(
      @ForAll @Size(max = 200) byte[] table, @ForAll int count, @ForAll int payloadLength) {
    try {
      List<Extent> extents =
          ExtentTable.unpack(ByteBuffer.wrap(table), Math.abs(count % 40), 1, 0, payloadLength);
      assertThat(extents.stream().mapToLong(Extent::length).sum()).isEqualTo(payloadLength);
      assertThat(extents).allMatch(extent -> extent.partition() < Shuffle.MAX_PARTITIONS);
    } catch (SluiceException refused) {
      assertThat(refused.code().number()).isEqualTo(4002);
    }
  }

  @Property(tries = 30)
  void everyFlippedByteOfAHeaderIsDetected(
      @ForAll("shuffles") ShuffleKey shuffle,
      @ForAll("units") List<Content> contents,
      @ForAll Random random) {
    StagedUnit unit = newUnit(shuffle);
    stage(unit, contents);
    unit.submit();
    UnitHeader header = unit.header(POSITION);
    ByteBuffer bytes = unit.seal(header).slice();
    Crc32c crc = new Crc32c();

    for (int i = 0; i < header.length(); i++) {
      int at = i;
      byte good = bytes.get(at);
      bytes.put(at, (byte) (good ^ (1 + random.nextInt(255))));
      assertThatThrownBy(() -> UnitHeader.decode(bytes, 0, crc))
          .as("byte %s", at)
          .isInstanceOf(SluiceException.class);
      bytes.put(at, good);
    }
    assertThat(UnitHeader.decode(bytes, 0, crc)).isEqualTo(header);
  }

  /** So that nobody takes memory for what a file of any length claims. */
  @Example
  void aHeaderIsNoLongerThanTheLargestUnitsCanBe() {
    ByteBuffer start = ByteBuffer.allocate(12).putInt(UnitHeader.MAGIC).putShort((short) 2);
    int room = DiskOptions.ssd().withSizes(64 << 20, 128 << 20).headerRoom();

    assertThat(UnitHeader.claimedLength(start.putInt(8, room), 0)).isEqualTo(room);
    assertThat(UnitHeader.claimedLength(start.putInt(8, 16 << 20), 0)).isEqualTo(-1);
  }

  private static StagedUnit newUnit(ShuffleKey shuffle) {
    StagingBuffer buffer =
        new StagingBuffer(OPTIONS, AlignedBuffers.allocate(OPTIONS.stagingBuffer()));
    return new StagedUnit(buffer, new ShuffleSegments(shuffle), unit -> {});
  }

  /** Stages what fits; returns (map, stored length) of each block of each extent. */
  private static List<List<int[]>> stage(StagedUnit unit, List<Content> contents) {
    List<List<int[]>> staged = new ArrayList<>();
    int partition = -1;
    for (Content content : contents) {
      partition += content.partitionStep();
      int length = content.blocks().stream().mapToInt(b -> BlockHeader.LENGTH + b[1]).sum();
      if (length > unit.remaining()) {
        break;
      }
      List<int[]> blocks = new ArrayList<>();
      ByteBuffer target = unit.beginExtent(partition);
      int map = 0;
      for (int[] block : content.blocks()) {
        map += block[0];
        TestBlocks.append(target, partition, map, block[1]);
        unit.endBlock();
        blocks.add(new int[] {map, block[1]});
      }
      unit.endExtent();
      staged.add(blocks);
    }
    return staged;
  }
}
