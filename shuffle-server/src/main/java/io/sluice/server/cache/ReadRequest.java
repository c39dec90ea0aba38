package io.sluice.server.cache;

import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One read by a caller: done when all its parts have ended, well or not. Parts may end on different
 * threads; each fills bytes of its own.
 */
final class ReadRequest {
  private final ByteBuffer target;
  private final int base;
  private final long position;
  private final ReadCache.Completion completion;
  private final AtomicReference<@Nullable SluiceException> failure = new AtomicReference<>();
  // One for whoever is still adding parts.
  private final AtomicInteger open = new AtomicInteger(1);

  ReadRequest(ByteBuffer target, long position, ReadCache.Completion completion) {
    this.target = target;
    this.base = target.position();
    this.position = position;
    this.completion = completion;
  }

  void addPart() {
    open.incrementAndGet();
  }

  void fill(long from, ByteBuffer source, int sourceOffset, int length) {
    target.put(base + (int) (from - position), source, sourceOffset, length);
  }

  /** The bytes of one part, to be read into. */
  ByteBuffer slice(long from, int length) {
    return target.slice(base + (int) (from - position), length);
  }

  void partEnded(@Nullable SluiceException withFailure) {
    if (withFailure != null) {
      failure.compareAndSet(null, withFailure);
    }
    if (open.decrementAndGet() == 0) {
      SluiceException first = failure.get();
      if (first == null) {
        target.position(target.limit());
      }
      completion.ended(first);
    }
  }
}
