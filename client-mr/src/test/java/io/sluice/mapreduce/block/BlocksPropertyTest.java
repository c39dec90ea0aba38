package io.sluice.mapreduce.block;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.mapreduce.fake.HeapBlock;
import io.sluice.mapreduce.fake.HeapMapOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.jspecify.annotations.Nullable;

/** Records to blocks and back, whatever their size, with and without a codec. */
class BlocksPropertyTest {
  private static final Configuration CONF = new Configuration(false);

  /** Runs of one map, each a list of keys; the value is the key's length in x. */
  private static List<HeapBlock> pack(
      List<List<String>> runs, int blockBytes, @Nullable DefaultCodec codec) throws IOException {
    HeapMapOutput output = new HeapMapOutput(1, 7, 70, blockBytes);
    try (BlockCompressor blocks = new BlockCompressor(output, codec, CONF, () -> {})) {
      BlockPacker packer = new BlockPacker(blocks, blockBytes);
      for (int run = 0; run < runs.size(); run++) {
        packer.beginRun(0);
        for (String record : runs.get(run)) {
          byte[] key = record.getBytes(ISO_8859_1);
          byte[] value = "x".repeat(key.length).getBytes(ISO_8859_1);
          packer.append(key, 0, key.length, value, 0, value.length);
        }
        packer.endRun(run == runs.size() - 1);
      }
    }
    return output.blocks();
  }

  private static List<String> keys(Run run) throws IOException {
    List<String> keys = new ArrayList<>();
    RunReader<Object, Object> reader = new RunReader<>(run, CONF);
    DataInputBuffer key = new DataInputBuffer();
    DataInputBuffer value = new DataInputBuffer();
    while (reader.nextRawKey(key)) {
      reader.nextRawValue(value);
      int keyLength = key.getLength() - key.getPosition();
      assertThat(value.getLength() - value.getPosition()).isEqualTo(keyLength);
      keys.add(new String(key.getData(), key.getPosition(), keyLength, ISO_8859_1));
    }
    return keys;
  }

  private static @Nullable DefaultCodec codec(boolean with) {
    if (!with) {
      return null;
    }
    DefaultCodec codec = new DefaultCodec();
    codec.setConf(CONF);
    return codec;
  }

  @Property(tries = 300)
  void runsComeBackAsTheyWerePacked(
      @ForAll @Size(min = 1, max = 4)
          List<@Size(max = 20) List<@StringLength(max = 90) String>> runs,
      @ForAll @IntRange(min = 16, max = 200) int blockBytes,
      @ForAll boolean compressed)
      throws IOException {
    List<HeapBlock> blocks = pack(runs, blockBytes, codec(compressed));

    try (Runs read = new Runs(codec(compressed))) {
      for (HeapBlock block : blocks) {
        read.add(block);
      }
      List<List<String>> found = new ArrayList<>();
      for (Run run : read.take()) {
        found.add(keys(run));
      }
      assertThat(found).isEqualTo(latin(runs.stream().filter(run -> !run.isEmpty()).toList()));
    }
    assertThat(blocks).last().matches(HeapBlock::isLast);
    assertThat(blocks).filteredOn(HeapBlock::isLast).hasSize(1);
    assertThat(blocks.stream().mapToInt(HeapBlock::recordCount).sum())
        .isEqualTo(runs.stream().mapToInt(List::size).sum());
  }

  @Property(tries = 200)
  void runsOfTwoMapsThatComeMixedAreToldApart(
      @ForAll @Size(max = 30) List<@StringLength(max = 20) String> one,
      @ForAll @Size(max = 30) List<@StringLength(max = 20) String> other)
      throws IOException {
    List<HeapBlock> first = pack(List.of(one), 128, null);
    List<HeapBlock> second = new ArrayList<>();
    for (HeapBlock block : pack(List.of(other), 128, null)) {
      second.add(
          new HeapBlock(
              0,
              8,
              80,
              block.sequence(),
              block.flags(),
              block.rawLength(),
              block.recordCount(),
              block.stored()));
    }
    try (Runs read = new Runs(null)) {
      for (int i = 0; i < Math.max(first.size(), second.size()); i++) {
        if (i < first.size()) {
          read.add(first.get(i));
        }
        if (i < second.size()) {
          read.add(second.get(i));
        }
      }
      List<Run> runs = read.take();
      assertThat(runs).hasSize((one.isEmpty() ? 0 : 1) + (other.isEmpty() ? 0 : 1));
      List<String> all = new ArrayList<>();
      for (Run run : runs) {
        all.addAll(keys(run));
      }
      List<String> expected = new ArrayList<>(one);
      expected.addAll(other);
      assertThat(all).containsExactlyInAnyOrderElementsOf(latin(List.of(expected)).get(0));
    }
  }

  @Property(tries = 50)
  void aBlockThatComesOutOfOrderBeginsARunOfItsOwn(
      @ForAll @Size(value = 40) List<@StringLength(value = 10) String> records) throws IOException {
    List<HeapBlock> blocks = pack(List.of(records), 128, null);
    List<HeapBlock> shuffled = new ArrayList<>(blocks);
    HeapBlock first = shuffled.remove(0);
    shuffled.add(first);
    try (Runs read = new Runs(null)) {
      for (HeapBlock block : shuffled) {
        read.add(block);
      }
      assertThat(read.take()).hasSize(2);
    }
  }

  /** Five bytes at most, of which deflate makes more, whatever they are. */
  @Property(tries = 20)
  void whatDoesNotShrinkIsStoredAsItIs(@ForAll @StringLength(max = 1) String key)
      throws IOException {
    assertThat(pack(List.of(List.of(key)), 64, codec(true)))
        .allMatch(block -> block.codec() == 0 && block.rawLength() == block.stored().length)
        .allMatch(block -> (block.flags() & BlockHeader.CONTINUES) == 0);
  }

  private static List<List<String>> latin(List<List<String>> runs) {
    return runs.stream()
        .map(
            run ->
                run.stream()
                    .map(text -> new String(text.getBytes(ISO_8859_1), ISO_8859_1))
                    .toList())
        .toList();
  }

  @Example
  void manySmallRunsCountForMoreThanTheirBytes() throws IOException {
    List<HeapBlock> blocks = pack(Collections.nCopies(1_000, List.of("key")), 200, null);

    try (Runs read = new Runs(null)) {
      for (HeapBlock block : blocks) {
        read.add(block);
      }
      assertThat(read.memory())
          .as("bytes of 1,000 runs of 8 bytes")
          .isBetween(1_500_000L, 1_600_000L);
      long memory = read.memory();
      List<Run> runs = read.take();
      assertThat(runs).hasSize(1_000);
      assertThat(runs.stream().mapToLong(Run::memory).sum()).isEqualTo(memory);
      assertThat(read.memory()).isZero();
    }
  }
}
