package io.sluice.benchmarks.storage.disk;

import io.sluice.common.time.Clock;

/**
 * When a side may use the disk: always, but in a phase that takes turns. A turn lasts for so many
 * bytes; whoever asks for more waits for the next one. Thread-safe; those who wait block, and
 * cannot be interrupted.
 */
public final class DiskTurn {
  private static final double NANOS = 1e9;

  private final Clock clock;
  private final DiskLoad load;
  // All that follows is guarded by this.
  private long left = Long.MAX_VALUE;
  private int underWay;
  private boolean phaseEnded;
  // What passed in this side's turns before the present one, and when that began.
  private Moment own = new Moment(0, 0);
  private Moment began;

  /**
   * How long this side has had the disk.
   *
   * @param seconds from an arbitrary origin
   * @param queueSeconds of the disk meanwhile, as {@link DiskLoad} has them
   */
  public record Moment(double seconds, double queueSeconds) {
    private Moment plus(Moment from, Moment to) {
      return new Moment(
          seconds + to.seconds - from.seconds,
          queueSeconds + DiskLoad.between(from.queueSeconds, to.queueSeconds));
    }
  }

  /** One access to the disk. */
  @FunctionalInterface
  public interface Access<E extends Exception> {
    /** Returns how many bytes it was. */
    int run() throws E;
  }

  /**
   * @param load of the disk whose turns these are
   */
  public DiskTurn(Clock clock, DiskLoad load) {
    this.clock = clock;
    this.load = load;
    this.began = moment();
  }

  /** What has passed in turns of this side's so far. */
  public synchronized Moment now() {
    return isPaused() ? own : own.plus(began, moment());
  }

  /**
   * Accesses the disk in a turn of this side's, waiting for it.
   *
   * @param bytes that the turn is shorter for it
   */
  public <E extends Exception> int access(int bytes, Access<E> access) throws E {
    enter(bytes);
    try {
      return access.run();
    } finally {
      leave();
    }
  }

  /** Waits for a turn of this side's: for what comes before accesses, and would go on without. */
  public synchronized void await() {
    boolean interrupted = false;
    while (left <= 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** A phase that takes turns begins; the first has yet to come. */
  public synchronized void begin() {
    phaseEnded = false;
    left = 0;
    pauseIfQuiet();
  }

  /** The phase is over: no turns any more. Wakes whoever waits for the end of one. */
  public synchronized void end() {
    phaseEnded = true;
    open(Long.MAX_VALUE);
  }

  /**
   * Gives this side a turn, and waits until it is over and nothing is under way any more, or the
   * phase has ended.
   *
   * @param bytes from which on no further access begins; what the turn before had too much is taken
   *     off
   * @return whether the phase has ended
   */
  public synchronized boolean take(long bytes) throws InterruptedException {
    if (!phaseEnded) {
      open(bytes == Long.MAX_VALUE ? bytes : Math.max(1, left + bytes));
    }
    while (!phaseEnded && !isPaused()) {
      wait();
    }
    return phaseEnded;
  }

  private synchronized void enter(int bytes) {
    await();
    left -= bytes;
    underWay++;
  }

  private synchronized void leave() {
    underWay--;
    pauseIfQuiet();
  }

  private boolean isPaused() {
    return left <= 0 && underWay == 0;
  }

  private void pauseIfQuiet() {
    if (isPaused()) {
      own = own.plus(began, moment());
      notifyAll();
    }
  }

  private void open(long bytes) {
    if (isPaused()) {
      began = moment();
    }
    left = bytes;
    notifyAll();
  }

  private Moment moment() {
    return new Moment(clock.nanoTime() / NANOS, load.seconds());
  }
}
