package io.sluice.server.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.SluiceException;
import org.jspecify.annotations.Nullable;

/** One read, and what came of it. */
final class FakeReader {
  private final FakeSource source;
  private final long position;
  final FakeTarget target;
  int ends;
  @Nullable SluiceException failure;

  private FakeReader(FakeSource source, long position, int length, boolean leases) {
    this.source = source;
    this.position = position;
    this.target = new FakeTarget(length, leases);
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
    return read(cache, source, range, length, false);
  }

  /** The same as a lease, where there is one to be had; its target gives it back. */
  static FakeReader lease(ReadCache cache, FakeSource source, ReadRange range, int length) {
    return read(cache, source, range, length, true);
  }

  private static FakeReader read(
      ReadCache cache, FakeSource source, ReadRange range, int length, boolean leases) {
    FakeReader reader = new FakeReader(source, range.position(), length, leases);
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
    target.check(source.number(), position);
  }
}
