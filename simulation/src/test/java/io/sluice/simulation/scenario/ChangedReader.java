package io.sluice.simulation.scenario;

import io.sluice.client.BlockReader;
import org.jspecify.annotations.Nullable;

/** A reader that delivers one block in ten twice, or not at all. */
final class ChangedReader implements BlockReader {
  private static final int ONE_IN = 10;

  private final BlockReader reader;
  private final boolean twice;
  private @Nullable Block last;
  private int delivered;

  ChangedReader(BlockReader reader, boolean twice) {
    this.reader = reader;
    this.twice = twice;
  }

  @Override
  public @Nullable Block next() throws InterruptedException {
    boolean changed = ++delivered % ONE_IN == 0;
    if (changed && twice && last != null) {
      return last;
    }
    last = reader.next();
    return changed && !twice && last != null ? reader.next() : last;
  }

  @Override
  public long bytesRead() {
    return reader.bytesRead();
  }

  @Override
  public long waitNanos() {
    return reader.waitNanos();
  }

  @Override
  public void close() {
    reader.close();
  }
}
