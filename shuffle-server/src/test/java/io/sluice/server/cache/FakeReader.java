package io.sluice.server.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One read, and what came of it. */
final class FakeReader {
  private final FakeSource source;
  private final long position;
  private final ByteBuffer target;
  int ends;
  @Nullable SluiceException failure;

  private FakeReader(FakeSource source, long position, int length) {
    this.source = source;
    this.position = position;
    this.target = ByteBuffer.allocateDirect(length);
  }

  /** Reads bytes of an extent that is exactly these. */
  static FakeReader read(
      ReadCache cache, FakeSource source, long position, int length, long unitStart, long unitEnd) {
    return read(
        cache,
        source,
        new ReadRange(position, position + length, unitStart, unitEnd, true),
        length);
  }

  static FakeReader read(ReadCache cache, FakeSource source, ReadRange range, int length) {
    FakeReader reader = new FakeReader(source, range.position(), length);
    cache.read(source, range, reader.target, reader::ended);
    return reader;
  }

  private synchronized void ended(@Nullable SluiceException withFailure) {
    ends++;
    failure = withFailure;
  }

  synchronized boolean done() {
    return ends > 0;
  }

  /** Ended once, well, with the right bytes. */
  synchronized void assertRight() {
    assertThat(ends).isEqualTo(1);
    assertThat(failure).isNull();
    assertThat(target.hasRemaining()).isFalse();
    for (int i = 0; i < target.capacity(); i++) {
      if (target.get(i) != FakeSource.byteAt(source.number(), position + i)) {
        throw new AssertionError("wrong byte at " + (position + i));
      }
    }
  }
}
