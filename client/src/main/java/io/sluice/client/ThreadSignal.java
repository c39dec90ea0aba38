package io.sluice.client;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Parks the waiting thread. A signal that comes while nobody waits costs one volatile write, so
 * event loops may signal freely.
 */
final class ThreadSignal implements TaskSignal {
  private volatile boolean signalled;
  private volatile @Nullable Thread waiter;

  @Override
  public void await() throws InterruptedException {
    // The waiter is published before the flag is read, the flag before the waiter: one of the two
    // threads sees the other.
    waiter = Thread.currentThread();
    try {
      while (!signalled) {
        LockSupport.park(this);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      signalled = false;
    } finally {
      waiter = null;
    }
  }

  @Override
  public void signal() {
    signalled = true;
    Thread thread = waiter;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }
}
