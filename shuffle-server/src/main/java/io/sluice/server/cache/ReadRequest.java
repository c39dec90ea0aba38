package io.sluice.server.cache;

import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One read by a caller: done when all its parts have ended, well or not. Parts may end on different
 * threads; each has bytes of its own.
 */
final class ReadRequest {
  private final ReadTarget target;
  private final long position;
  private final ReadCache.Completion completion;
  private final AtomicReference<@Nullable SluiceException> failure = new AtomicReference<>();
  // One for whoever is still adding parts.
  private final AtomicInteger open = new AtomicInteger(1);

  ReadRequest(ReadTarget target, long position, ReadCache.Completion completion) {
    this.target = target;
    this.position = position;
    this.completion = completion;
  }

  void addPart() {
    open.incrementAndGet();
  }

  boolean takesLeases() {
    return target.takesLeases();
  }

  /** The room for one part, to be read or copied into. */
  ByteBuffer room(long from, int length) {
    return target.room((int) (from - position), length);
  }

  void lease(long from, ByteBuffer bytes, ReadTarget.Lease lease) {
    target.lease((int) (from - position), bytes, lease);
  }

  void partEnded(@Nullable SluiceException withFailure) {
    if (withFailure != null) {
      failure.compareAndSet(null, withFailure);
    }
    if (open.decrementAndGet() == 0) {
      completion.ended(failure.get());
    }
  }
}
