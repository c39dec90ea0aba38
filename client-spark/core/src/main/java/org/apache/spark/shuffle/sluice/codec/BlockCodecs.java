package org.apache.spark.shuffle.sluice.codec;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.jspecify.annotations.Nullable;

/** Makes codecs by Spark's names and by number. Immutable, shared by the tasks of a process. */
public final class BlockCodecs {
  /** Spark's name for storing blocks as they are. */
  public static final String NO_CODEC = "none";

  private static final Set<String> SHORT_NAMES = Set.of("lz4", "zstd", "snappy", "lzf", NO_CODEC);

  private final SparkConf conf;
  private final int zstdLevel;

  public BlockCodecs(SparkConf conf) {
    this.conf = conf;
    // The default of Spark's own entry for its own Zstandard codec.
    this.zstdLevel = conf.getInt("spark.io.compression.zstd.level", 1);
  }

  /** Whether a name is one of those below, or may be that of a class. */
  public static boolean isKnown(String name) {
    return SHORT_NAMES.contains(name.toLowerCase(Locale.ROOT)) || name.contains(".");
  }

  /**
   * A codec for writing.
   *
   * @param name {@code lz4}, {@code zstd}, {@code none}, or what Spark accepts in {@code
   *     spark.io.compression.codec}
   * @return null for {@code none}
   */
  public @Nullable BlockCodec byName(String name) {
    switch (name.toLowerCase(Locale.ROOT)) {
      case NO_CODEC:
        return null;
      case "lz4":
      case "org.apache.spark.io.lz4compressioncodec":
        return new Lz4BlockCodec();
      case "zstd":
      case "org.apache.spark.io.zstdcompressioncodec":
        return new ZstdBlockCodec(zstdLevel);
      case "snappy":
      case "org.apache.spark.io.snappycompressioncodec":
        return stream(BlockCodec.SNAPPY, name);
      case "lzf":
      case "org.apache.spark.io.lzfcompressioncodec":
        return stream(BlockCodec.LZF, name);
      default:
        return stream(BlockCodec.CUSTOM, name);
    }
  }

  /**
   * A codec for reading.
   *
   * @param customName the codec class that {@link BlockCodec#CUSTOM} stands for in this shuffle
   * @throws SluiceException UNSUPPORTED_VERSION for a number this client does not know
   */
  public BlockCodec byNumber(int number, String customName) {
    switch (number) {
      case BlockCodec.LZ4:
        return new Lz4BlockCodec();
      case BlockCodec.ZSTD:
        return new ZstdBlockCodec(zstdLevel);
      case BlockCodec.SNAPPY:
        return stream(number, "snappy");
      case BlockCodec.LZF:
        return stream(number, "lzf");
      case BlockCodec.CUSTOM:
        return stream(number, customName);
      default:
        throw new SluiceException(
            ErrorCode.UNSUPPORTED_VERSION, "a block has the unknown codec number " + number);
    }
  }

  private BlockCodec stream(int number, String name) {
    CompressionCodec codec = CompressionCodec$.MODULE$.createCodec(conf, name);
    return new StreamBlockCodec(number, codec);
  }
}
