package io.sluice.mapreduce.read;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waiting for time to pass, which asking the application master again and again needs. A seam. */
public interface Pause {
  void await(Duration time) throws InterruptedException;

  /** Really waits. */
  static Pause real() {
    return time -> {
      boolean never = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
      assert !never;
    };
  }
}
