package io.sluice.client.fetch;

import io.sluice.client.TaskSignal;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/**
 * A reader's wait for others to give back memory, of which it has none itself meanwhile. It ends
 * with an error when nobody has given anything back for as long as {@link
 * io.sluice.client.ClientConfig#blockDeadline}: who has it may be a reader of the same task. On the
 * task's thread.
 */
final class RoomWait {
  private final LongRecordMemory.Room room;
  private final LongRecordMemory memory;
  private final Duration deadline;
  private final Clock clock;
  private final Scheduler timers;
  private final TaskSignal signal;

  RoomWait(LongRecordMemory.Room room, ReadContext read) {
    this.room = room;
    this.memory = read.client().longRecords();
    this.deadline = read.client().config().blockDeadline();
    this.clock = read.client().clock();
    this.timers = read.connections().loop();
    this.signal = read.signal();
  }

  /**
   * Waits until so much is reserved.
   *
   * @throws SluiceException BLOCK_TOO_LARGE if it cannot be had, CANCELLED if the client is closed
   */
  void reserve(long bytes) throws InterruptedException {
    Runnable wake = signal::signal;
    room.lineUp(wake);
    try {
      long givenBack = memory.givenBack();
      long since = clock.nanoTime();
      while (!room.reserveInTurn(wake, bytes)) {
        long now = clock.nanoTime();
        long newest = memory.givenBack();
        if (newest != givenBack) {
          givenBack = newest;
          since = now;
        } else if (now - since >= deadline.toNanos()) {
          throw inVain(bytes);
        }
        await(since + deadline.toNanos() - now);
      }
    } finally {
      room.leaveLine(wake);
    }
  }

  private SluiceException inVain(long bytes) {
    return new SluiceException(
        ErrorCode.BLOCK_TOO_LARGE,
        "a record that is stored in "
            + bytes
            + " bytes finds no room: other readers have "
            + memory.inUse()
            + " of "
            + memory.maxBytes()
            + ", and have given nothing back for "
            + deadline.toSeconds()
            + " s");
  }

  private void await(long nanos) throws InterruptedException {
    Scheduler.Cancellable timer;
    try {
      timer = timers.schedule(Math.max(0, nanos), signal::signal);
    } catch (RejectedExecutionException ended) {
      throw new SluiceException(ErrorCode.CANCELLED, "the client is closed", ended);
    }
    try {
      signal.await();
    } finally {
      timer.cancel();
    }
  }
}
