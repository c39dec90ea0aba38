package io.sluice.common.time;

/** Where time comes from. Thread-safe. */
public interface Clock {
  /** Monotonic nanoseconds from an arbitrary origin; only differences mean anything. */
  long nanoTime();

  /** Milliseconds since 1970 UTC, for people and files; may jump. */
  long wallTimeMillis();

  static Clock system() {
    return SystemClock.INSTANCE;
  }
}
