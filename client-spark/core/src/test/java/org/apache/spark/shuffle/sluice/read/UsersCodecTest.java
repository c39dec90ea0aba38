package org.apache.spark.shuffle.sluice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext$;
import org.apache.spark.io.LZFCompressionCodec;
import org.apache.spark.shuffle.sluice.codec.BlockCodec;
import org.apache.spark.shuffle.sluice.spare.HandDriven;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.apache.spark.shuffle.sluice.store.HeapBlockReader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A codec that came with the application, which only the class loader of its tasks knows: Sluice's
 * own may be the one above, with what executors are started with.
 */
class UsersCodecTest {
  /** The user's. */
  public static final class Codec extends LZFCompressionCodec {
    public Codec(SparkConf conf) {
      super(conf);
    }
  }

  /** Whoever decodes the first block of the codec has to find it. */
  @Test
  void isFoundOnASpareCoreThoughTheTaskHasNotNeededItYet() throws IOException {
    HandDriven threads = new HandDriven();
    Slow clock = new Slow();
    RawBlocks blocks =
        Pieces.ahead(
            TaskContext$.MODULE$.empty(),
            new HeapBlockReader(List.of(stored("as it is"), compressed("by the codec")), null),
            Codec.class.getName(),
            threads.cores(2),
            clock,
            missing -> true);
    assertThat(text(blocks.next())).isEqualTo("as it is");

    runAsACoreThatDoesNotKnowIt(threads);

    long before = clock.now;
    assertThat(text(blocks.next())).isEqualTo("by the codec");
    assertThat(clock.now).as("nothing was left to decode").isEqualTo(before);
    assertThat(blocks.next()).isNull();
    blocks.close();
  }

  private static void runAsACoreThatDoesNotKnowIt(HandDriven threads) {
    Thread thread = Thread.currentThread();
    ClassLoader tasks = thread.getContextClassLoader();
    thread.setContextClassLoader(new WithoutTheUsers(tasks));
    try {
      threads.runAll();
    } finally {
      thread.setContextClassLoader(tasks);
    }
  }

  private static HeapBlock stored(String text) {
    return Pieces.block(0, 0, text.getBytes(StandardCharsets.UTF_8));
  }

  private static HeapBlock compressed(String text) throws IOException {
    byte[] raw = text.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new Codec(new SparkConf(false)).compressedOutputStream(bytes)) {
      out.write(raw);
    }
    int flags = BlockCodec.CUSTOM << 4;
    return new HeapBlock(0, 1, 101, 0, flags, raw.length, 1, bytes.toByteArray());
  }

  private static String text(@Nullable Piece piece) {
    Objects.requireNonNull(piece);
    return new String(piece.bytes(), 0, piece.length(), StandardCharsets.UTF_8);
  }

  /** Each look at it is worth another core later. */
  private static final class Slow implements Clock {
    private long now;

    @Override
    public long nanoTime() {
      return now += ReadAhead.WORTH_NANOS;
    }

    @Override
    public long wallTimeMillis() {
      return 0;
    }
  }

  private static final class WithoutTheUsers extends ClassLoader {
    WithoutTheUsers(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.equals(Codec.class.getName())) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }
}
