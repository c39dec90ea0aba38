package io.sluice.cli.cluster;

import io.sluice.common.time.Clock;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * What an answer's time says of the wall clock of who gave it: it was there somewhere between the
 * question and the answer.
 *
 * @param aheadMillis how far it is ahead of this machine's, negative if it is behind
 * @param eitherWayMillis half of the time that the answer took, so how wrong that may be
 */
public record ClockReading(long aheadMillis, long eitherWayMillis) {
  private static final int TIMES = 3;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** An answer beside what it says of a clock. */
  public record Timed<T>(T answer, ClockReading reading) {}

  /**
   * Asks some times and takes the quickest answer: a connection that begins is not a clock.
   *
   * @param atMillis the time in an answer, in milliseconds since 1970
   */
  public static <T> Timed<T> ask(Clock clock, Supplier<T> question, ToLongFunction<T> atMillis) {
    Timed<T> best = askOnce(clock, question, atMillis);
    for (int i = 1; i < TIMES; i++) {
      Timed<T> next = askOnce(clock, question, atMillis);
      best = next.reading.eitherWayMillis <= best.reading.eitherWayMillis ? next : best;
    }
    return best;
  }

  private static <T> Timed<T> askOnce(
      Clock clock, Supplier<T> question, ToLongFunction<T> atMillis) {
    long start = clock.nanoTime();
    T answer = question.get();
    // Rounded up: it is a bound.
    long half = (clock.nanoTime() - start) / (2 * NANOS_PER_MILLI) + 1;
    long between = clock.wallTimeMillis() - half;
    return new Timed<>(answer, new ClockReading(atMillis.applyAsLong(answer) - between, half));
  }
}
