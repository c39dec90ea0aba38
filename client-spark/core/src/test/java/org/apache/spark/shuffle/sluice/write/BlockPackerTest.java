package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.security.BlockKeys;
import io.sluice.common.security.SealedBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.sluice.codec.BlockCodec;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.codec.BlockDecoder;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.apache.spark.shuffle.sluice.store.HeapMapOutput;
import org.apache.spark.unsafe.Platform;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockPackerTest {
  private static final int BLOCK_BYTES = 16 * 1024;
  private static final int PARTITIONS = 5;
  private static final int LARGE_BUFFER = 32 << 20;

  private final BlockCodecs codecs = new BlockCodecs(new SparkConf(false));
  private final HeapMapOutput output = new HeapMapOutput(PARTITIONS, 3, 17, blocks -> {});
  private final Random random = new Random(42);
  private final Map<Integer, ByteArrayOutputStream> expected = new TreeMap<>();
  private @Nullable BlockKeys keys;
  private int bufferBytes = LARGE_BUFFER;

  @ParameterizedTest
  @ValueSource(strings = {"none", "lz4", "zstd", "snappy", "lzf"})
  void blocksDecompressToTheRecordsInOrder(String codec) throws IOException {
    pack(codec, true, records(5000, 200, 3));

    assertThat(contents(codec)).isEqualTo(contents());
    assertThat(output.blocks()).allMatch(block -> block.rawLength() <= BLOCK_BYTES);
    assertThat(output.blocks()).noneMatch(block -> block.continues());
    assertThat(output.blocks().stream().mapToInt(HeapBlock::recordCount).sum()).isEqualTo(5000);
  }

  /** A twentieth of such a block is nothing: no codec may be said to have saved that. */
  @ParameterizedTest
  @ValueSource(strings = {"none", "lz4", "zstd", "snappy", "lzf"})
  void blocksOfAFewBytesArriveAsTheyWere(String codec) throws IOException {
    pack(codec, false, List.of(randomBytes(1), randomBytes(4), randomBytes(12), randomBytes(19)));

    assertThat(contents(codec)).isEqualTo(contents());
    assertThat(output.blocks()).extracting(HeapBlock::codec).containsOnly(BlockCodec.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "lz4", "zstd", "snappy", "lzf"})
  void encryptedBlocksDecryptToTheRecordsInOrder(String codec) throws IOException {
    keys = BlockKeys.of(new byte[32]);
    List<byte[]> records = records(5000, 200, 3);
    records.add(randomBytes(3 * BLOCK_BYTES));
    pack(codec, true, records);

    assertThat(contents(codec)).isEqualTo(contents());
    assertThat(output.blocks()).anyMatch(HeapBlock::continues);
  }

  @Test
  void leavesOutThePrefixWhereItIsNotData() throws IOException {
    pack("lz4", false, records(100, 200, 3));

    assertThat(contents("lz4")).isEqualTo(contents());
  }

  @Test
  void onlyTheLastBlockOfAPartitionSaysSo() throws IOException {
    pack("lz4", true, records(5000, 200, 3));

    Map<Integer, List<Boolean>> last = new TreeMap<>();
    output
        .blocks()
        .forEach(
            block ->
                last.computeIfAbsent(block.partition(), p -> new ArrayList<>())
                    .add(block.isLast()));
    assertThat(last.values())
        .allSatisfy(
            flags -> {
              assertThat(flags.get(flags.size() - 1)).isTrue();
              assertThat(flags.subList(0, flags.size() - 1)).doesNotContain(true);
            });
  }

  @Test
  void recordsLongerThanABlockBecomeChains() throws IOException {
    List<byte[]> records = records(20, 100, 3);
    records.add(randomBytes(BLOCK_BYTES * 3 + 77));
    records.addAll(records(10, 100, 4));
    records.add(randomBytes(BLOCK_BYTES));
    records.add(randomBytes(BLOCK_BYTES + 1));
    pack("none", true, records);

    assertThat(contents("none")).isEqualTo(contents());
    assertThat(output.blocks().stream().filter(HeapBlock::continues)).hasSizeGreaterThan(4);
    // Nothing but the chain's own record follows a block that continues.
    List<HeapBlock> blocks = output.blocks();
    for (int i = 0; i + 1 < blocks.size(); i++) {
      if (blocks.get(i).continues()) {
        assertThat(blocks.get(i + 1).partition()).isEqualTo(blocks.get(i).partition());
        assertThat(blocks.get(i + 1).recordCount()).isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRecordLongerThanTheBufferIsPushedAsItLies(boolean prefixIsData) throws IOException {
    bufferBytes = 1 << 20;
    List<byte[]> records = records(20, 100, 3);
    records.add(randomBytes((1 << 20) + 77));
    records.addAll(records(10, 100, 4));
    pack("lz4", prefixIsData, records);

    assertThat(contents("lz4")).isEqualTo(contents());
    assertThat(output.blocks().stream().mapToInt(HeapBlock::recordCount).sum()).isEqualTo(31);
    assertThat(output.blocks().stream().filter(HeapBlock::continues)).hasSizeGreaterThan(60);
  }

  @Test
  void recordsOfNoBytesShareABlock() throws IOException {
    List<byte[]> records = new ArrayList<>();
    for (int i = 0; i < PARTITIONS * 100; i++) {
      records.add(new byte[0]);
    }
    pack("lz4", false, records);

    assertThat(output.blocks()).hasSize(PARTITIONS);
    assertThat(output.blocks()).allMatch(block -> block.recordCount() == 100);
  }

  @Test
  void blocksOfAPartitionAreOfLikeSize() throws IOException {
    List<byte[]> records = new ArrayList<>();
    for (int i = 0; i < PARTITIONS * 170; i++) {
      records.add(new byte[96]);
    }
    pack("none", true, records);

    // 17,000 bytes are two blocks of about 8,500, not one full and one crumb.
    assertThat(output.blocks()).hasSize(2 * PARTITIONS);
    assertThat(output.blocks()).allMatch(block -> block.rawLength() > BLOCK_BYTES / 3);
  }

  @Test
  void incompressibleBlocksAreStoredAsTheyAre() throws IOException {
    List<byte[]> records = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      records.add(randomBytes(500));
    }
    pack("lz4", true, records);

    assertThat(output.blocks()).hasSizeGreaterThan(40);
    assertThat(output.blocks()).extracting(HeapBlock::codec).containsOnly(BlockCodec.NONE);
    assertThat(contents("lz4")).isEqualTo(contents());
  }

  private void pack(String codec, boolean prefixIsData, List<byte[]> records) throws IOException {
    ScratchBuffers scratch = new ScratchBuffers(BLOCK_BYTES, 1);
    BlocksAhead ahead = Pipelines.noneAhead(scratch);
    BlockSealer sealer = keys == null ? null : new BlockSealer(keys.encryption(17), 3);
    try (PushPipeline pipeline =
        new PushPipeline(
            output, Metrics.progress(output), codecs.byName(codec), sealer, scratch, ahead)) {
      BlockPacker packer = new BlockPacker(pipeline, PARTITIONS, prefixIsData);
      try (RecordPages pages =
          new RecordPages(
              TaskMemory.ofBytes(64 << 20),
              new TaskArrays(2, 0),
              PARTITIONS,
              BufferBounds.of(bufferBytes, PARTITIONS, 256 << 10),
              packing(packer))) {
        int next = 0;
        for (byte[] record : records) {
          int partition = next++ % PARTITIONS;
          pages.append(partition, record, Platform.BYTE_ARRAY_OFFSET, record.length);
          ByteArrayOutputStream bytes =
              expected.computeIfAbsent(partition, p -> new ByteArrayOutputStream());
          if (prefixIsData) {
            bytes.write(ByteBuffer.allocate(4).putInt(record.length).array());
          }
          bytes.write(record);
        }
        pages.finish();
      }
    }
    output.finish();
  }

  private RecordPages.Drain packing(BlockPacker packer) {
    // Only of what all lies in pages is it known here which block is the last.
    boolean last = bufferBytes == LARGE_BUFFER;
    return new RecordPages.Drain() {
      @Override
      public void drain(RecordPages pages) throws IOException {
        packer.pack(pages, last);
      }

      @Override
      public void pushAlone(int partition, @Nullable Object base, long offset, int length)
          throws IOException {
        packer.packAlone(partition, base, offset, length);
      }
    };
  }

  private Map<Integer, List<Byte>> contents() {
    Map<Integer, List<Byte>> contents = new TreeMap<>();
    expected.forEach((partition, bytes) -> contents.put(partition, boxed(bytes.toByteArray())));
    return contents;
  }

  private Map<Integer, List<Byte>> contents(String codec) {
    Map<Integer, ByteArrayOutputStream> raw = new TreeMap<>();
    try (BlockDecoder decoder = new BlockDecoder(codecs, codec)) {
      for (HeapBlock block : output.blocks()) {
        assertThat(block.flags() & 0x0F & ~(BlockHeader.LAST | BlockHeader.CONTINUES)).isZero();
        byte[] bytes = new byte[block.rawLength()];
        decoder.decode(block.codec(), plain(block), bytes, 0, bytes.length);
        raw.computeIfAbsent(block.partition(), p -> new ByteArrayOutputStream()).writeBytes(bytes);
      }
    }
    Map<Integer, List<Byte>> contents = new TreeMap<>();
    raw.forEach((partition, bytes) -> contents.put(partition, boxed(bytes.toByteArray())));
    return contents;
  }

  private ByteBuffer plain(HeapBlock block) {
    if (keys == null) {
      return block.payload();
    }
    ByteBuffer stored = block.payload();
    ByteBuffer plain = ByteBuffer.allocate(stored.remaining() - SealedBlock.OVERHEAD);
    keys.decryption()
        .open(
            stored,
            plain,
            block.attemptId(),
            block.partition(),
            block.mapIndex(),
            block.rawLength(),
            block.codec());
    return plain.flip();
  }

  private static List<Byte> boxed(byte[] bytes) {
    List<Byte> boxed = new ArrayList<>(bytes.length);
    for (byte b : bytes) {
      boxed.add(b);
    }
    return boxed;
  }

  private static List<byte[]> records(int count, int maxLength, int seed) {
    Random random = new Random(seed);
    List<byte[]> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(
          "compressible "
              .repeat(1 + random.nextInt(maxLength / 13))
              .getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    return records;
  }

  private byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
