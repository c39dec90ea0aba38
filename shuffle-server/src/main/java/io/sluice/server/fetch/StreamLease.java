package io.sluice.server.fetch;

import io.sluice.server.memory.LeaseBudget;
import io.sluice.server.partition.RunCursor;
import org.jspecify.annotations.Nullable;

/**
 * A stream's right to lease what lies in memory, and its waiting where there is no room: for room,
 * or for a flush, after which it reads the same from a disk. On the connection's event loop.
 */
final class StreamLease implements AutoCloseable {
  private final LeaseBudget.Line line;
  private final Runnable wake;
  private @Nullable RunCursor awaited;

  /**
   * @param wake has the stream step again; any thread
   */
  StreamLease(LeaseBudget.Line line, Runnable wake) {
    this.line = line;
    this.wake = wake;
  }

  LeaseBudget.Line line() {
    return line;
  }

  /**
   * Waits for what a cursor was refused.
   *
   * @return true if it is to be tried again now
   */
  boolean await(RunCursor cursor) {
    if (line.await(cursor.refused())) {
      return true;
    }
    if (awaited != cursor) {
      forget();
    }
    awaited = cursor;
    return !cursor.whenMoved(wake);
  }

  /**
   * The stream does something else: its place in line is another's, and so is what it has not used.
   */
  void settle() {
    line.leave();
    forget();
  }

  /** What is kept for the stream is another's if it does not step now. */
  void giveBackUnused() {
    line.giveBackUnused();
  }

  private void forget() {
    if (awaited != null) {
      awaited.forget(wake);
      awaited = null;
    }
  }

  @Override
  public void close() {
    line.close();
    forget();
  }
}
