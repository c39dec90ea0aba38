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
  // Since when it has been another's turn, if it is; and how long it was before.
  private Moment paused = new Moment(0, 0);
  private Moment away = new Moment(0, 0);

  /**
   * A moment, or how long something took.
   *
   * @param seconds from an arbitrary origin
   * @param queueSeconds of the disk, as {@link DiskLoad} has them
   */
  public record Moment(double seconds, double queueSeconds) {
    private Moment plus(Moment began, Moment ended) {
      return new Moment(
          seconds + ended.seconds - began.seconds,
          queueSeconds + DiskLoad.between(began.queueSeconds, ended.queueSeconds));
    }

    private Moment minus(Moment other) {
      return new Moment(seconds - other.seconds, queueSeconds - other.queueSeconds);
    }
  }

  /** An access to the disk. */
  @FunctionalInterface
  public interface Access<E extends Exception> {
    int run() throws E;
  }

  /**
   * @param load of the disk whose turns these are
   */
  public DiskTurn(Clock clock, DiskLoad load) {
    this.clock = clock;
    this.load = load;
  }

  /** The time now, without that in which it was another's turn. */
  public synchronized Moment now() {
    Moment moment = moment();
    Moment others = isPaused() ? away.plus(paused, moment) : away;
    return moment.minus(others);
  }

  /** Accesses the disk in a turn of this side's, waiting for it. */
  public <E extends Exception> int access(int bytes, Access<E> access) throws E {
    enter(bytes);
    try {
      return access.run();
    } finally {
      leave();
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
   * @param bytes from which on no further access begins
   * @return whether the phase has ended
   */
  public synchronized boolean take(long bytes) throws InterruptedException {
    if (!phaseEnded) {
      open(bytes);
    }
    while (!phaseEnded && !isPaused()) {
      wait();
    }
    return phaseEnded;
  }

  /** Waits for a turn of this side's: for what comes before accesses, and would go on without. */
  public void await() {
    enter(0);
    leave();
  }

  private synchronized void enter(int bytes) {
    boolean interrupted = false;
    while (left <= 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    left -= bytes;
    underWay++;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
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
      paused = moment();
      notifyAll();
    }
  }

  private void open(long bytes) {
    if (isPaused()) {
      away = away.plus(paused, moment());
    }
    left = bytes;
    notifyAll();
  }

  private Moment moment() {
    return new Moment(clock.nanoTime() / NANOS, load.seconds());
  }
}
