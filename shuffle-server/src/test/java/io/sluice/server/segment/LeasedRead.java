package io.sluice.server.segment;

import io.sluice.server.cache.ReadTarget;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A read of a whole extent by one who takes leases, and copies where there are none. */
final class LeasedRead implements ReadTarget, SegmentStore.ReadCallback {
  private final ByteBuffer own;
  private final List<Leased> leased = new ArrayList<>();
  private final CompletableFuture<LeasedRead> done = new CompletableFuture<>();

  private record Leased(int offset, ByteBuffer bytes, Lease lease) {}

  private LeasedRead(int length) {
    own = ByteBuffer.allocateDirect(length);
  }

  static CompletableFuture<LeasedRead> start(SegmentStore store, Extent extent) {
    LeasedRead read = new LeasedRead(extent.length());
    store.read(ExtentPart.all(extent), 0, read, read);
    return read.done;
  }

  @Override
  public int length() {
    return own.capacity();
  }

  @Override
  public boolean takesLeases() {
    return true;
  }

  @Override
  public ByteBuffer room(int offset, int length) {
    return own.slice(offset, length);
  }

  @Override
  public synchronized void lease(int offset, ByteBuffer bytes, Lease lease) {
    leased.add(new Leased(offset, bytes, lease));
  }

  @Override
  public void read(@Nullable Throwable failure) {
    if (failure == null) {
      done.complete(this);
    } else {
      done.completeExceptionally(failure);
    }
  }

  synchronized int leases() {
    return leased.size();
  }

  /** As they are now. */
  synchronized ByteBuffer bytes() {
    ByteBuffer all = ByteBuffer.allocate(own.capacity()).put(own.duplicate()).flip();
    for (Leased part : leased) {
      all.put(part.offset, part.bytes, 0, part.bytes.capacity());
    }
    return all;
  }

  synchronized void giveBack() {
    leased.forEach(part -> part.lease.end());
    leased.clear();
  }
}
