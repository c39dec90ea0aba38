package org.apache.spark.shuffle.sluice.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockCodecsTest {
  private final BlockCodecs codecs = new BlockCodecs(new SparkConf(false));

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd", "snappy", "lzf", "ZSTD"})
  void decompressesWhatItCompressed(String name) {
    for (int length : new int[] {1, 17, 1500, 70_000}) {
      byte[] raw = compressible(length);
      ByteBuffer stored = compress(name, raw);
      int number = number(name);
      if (stored.remaining() < length) {
        assertThat(decompress(name, number, stored, length)).isEqualTo(raw);
        ByteBuffer heap = ByteBuffer.allocate(stored.remaining()).put(stored.duplicate()).flip();
        assertThat(decompress(name, number, heap, length)).isEqualTo(raw);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd"})
  void staysWithinItsBoundOnRandomBytes(String name) {
    byte[] raw = new byte[100_000];
    new Random(3).nextBytes(raw);
    ByteBuffer stored = compress(name, raw);
    assertThat(decompress(name, number(name), stored, raw.length)).isEqualTo(raw);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd", "snappy", "lzf"})
  void aDamagedBlockIsReportedAsCorrupt(String name) {
    byte[] raw = compressible(50_000);
    ByteBuffer stored = compress(name, raw);
    ByteBuffer cut = stored.duplicate();
    cut.limit(cut.limit() / 2);
    assertCorrupt(name, cut, raw.length);
    assertCorrupt(name, stored, raw.length - 1);
    assertCorrupt(name, stored, raw.length + 1);
  }

  /**
   * Whatever is damaged, nothing but that comes out: what bytes it fails on codecs say variously.
   */
  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd", "snappy", "lzf"})
  void aFlippedByteIsReportedAsCorruptIfItIsSeen(String name) {
    byte[] raw = compressible(20_000);
    ByteBuffer stored = compress(name, raw);
    for (int at = 0; at < Math.min(200, stored.limit()); at++) {
      byte whole = stored.get(at);
      stored.put(at, (byte) ~whole);
      try {
        decompress(name, number(name), stored, raw.length);
      } catch (SluiceException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BLOCK);
      }
      stored.put(at, whole);
    }
  }

  @Test
  void uncompressedBlocksMustHaveTheirLength() {
    ByteBuffer stored = ByteBuffer.wrap(new byte[10]);
    assertThat(decompress("none", BlockCodec.NONE, stored, 10)).hasSize(10);
    assertThatThrownBy(() -> decompress("none", BlockCodec.NONE, stored, 11))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BLOCK));
  }

  @Test
  void refusesACodecNumberItDoesNotKnow() {
    assertThatThrownBy(() -> decompress("lz4", 9, ByteBuffer.allocate(1), 1))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION));
  }

  @Test
  void namesOfSparksOwnClassesMeanTheSameCodecs() {
    assertThat(number("org.apache.spark.io.LZ4CompressionCodec")).isEqualTo(BlockCodec.LZ4);
    assertThat(number("org.apache.spark.io.ZStdCompressionCodec")).isEqualTo(BlockCodec.ZSTD);
    assertThat(number("org.apache.spark.io.SnappyCompressionCodec")).isEqualTo(BlockCodec.SNAPPY);
    assertThat(number("org.apache.spark.io.LZFCompressionCodec")).isEqualTo(BlockCodec.LZF);
    assertThat(codecs.byName("none")).isNull();
  }

  @Test
  void sparksLevelOfZstandardHolds() {
    byte[] raw = words(200_000);
    int fast = zstdLength("1", raw);
    int thorough = zstdLength("19", raw);
    assertThat(thorough).isLessThan(fast * 9 / 10);
    assertThat(compress(codecs, "zstd", raw).remaining())
        .as("Spark's default is 1")
        .isEqualTo(fast);
  }

  private int zstdLength(String level, byte[] raw) {
    SparkConf conf = new SparkConf(false).set("spark.io.compression.zstd.level", level);
    ByteBuffer stored = compress(new BlockCodecs(conf), "zstd", raw);
    assertThat(decompress("zstd", BlockCodec.ZSTD, stored, raw.length)).isEqualTo(raw);
    return stored.remaining();
  }

  /** Some thousand words again and again, in no order. */
  private static byte[] words(int length) {
    Random random = new Random(5);
    byte[][] dictionary = new byte[2000][];
    for (int i = 0; i < dictionary.length; i++) {
      dictionary[i] = new byte[3 + random.nextInt(8)];
      for (int at = 0; at < dictionary[i].length; at++) {
        dictionary[i][at] = (byte) ('a' + random.nextInt(26));
      }
    }
    ByteBuffer text = ByteBuffer.allocate(length);
    while (text.hasRemaining()) {
      byte[] word = dictionary[random.nextInt(dictionary.length)];
      text.put(word, 0, Math.min(word.length, text.remaining()));
    }
    return text.array();
  }

  private int number(String name) {
    try (BlockCodec codec = Objects.requireNonNull(codecs.byName(name))) {
      return codec.number();
    }
  }

  private ByteBuffer compress(String name, byte[] raw) {
    return compress(codecs, name, raw);
  }

  private static ByteBuffer compress(BlockCodecs codecs, String name, byte[] raw) {
    try (BlockCodec codec = Objects.requireNonNull(codecs.byName(name))) {
      ByteBuffer direct = ByteBuffer.allocateDirect(raw.length).put(raw);
      ByteBuffer stored = ByteBuffer.allocateDirect(codec.maxStoredLength(raw.length));
      int length = codec.compress(direct, raw.length, stored);
      assertThat(stored.position()).isZero();
      return stored.limit(length);
    }
  }

  private byte[] decompress(String writersCodec, int number, ByteBuffer stored, int rawLength) {
    byte[] padded = new byte[rawLength + 2];
    try (BlockDecoder decoder = new BlockDecoder(codecs, writersCodec)) {
      decoder.decode(number, stored, padded, 1, rawLength);
    }
    assertThat(padded[0]).isZero();
    assertThat(padded[rawLength + 1]).isZero();
    return Arrays.copyOfRange(padded, 1, rawLength + 1);
  }

  private void assertCorrupt(String name, ByteBuffer stored, int rawLength) {
    assertThatThrownBy(() -> decompress(name, number(name), stored, rawLength))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BLOCK));
  }

  private static byte[] compressible(int length) {
    byte[] raw = new byte[length];
    for (int i = 0; i < length; i++) {
      raw[i] = (byte) (i % 100 / 7);
    }
    return raw;
  }
}
