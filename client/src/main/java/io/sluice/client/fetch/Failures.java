package io.sluice.client.fetch;

/** Failed streams in a row: since anything new came. On the task's thread. */
final class Failures {
  private int count;
  private long since;

  void add(long now) {
    if (count++ == 0) {
      since = now;
    }
  }

  /** Something new came. */
  void end() {
    count = 0;
  }

  int count() {
    return count;
  }

  /** Nanoseconds since the first of them. */
  long lasting(long now) {
    return now - since;
  }
}
