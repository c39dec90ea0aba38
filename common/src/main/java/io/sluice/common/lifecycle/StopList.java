package io.sluice.common.lifecycle;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a process has started, to be stopped in the reverse order, whatever happens. Thread-safe.
 */
public final class StopList implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StopList.class);

  private final Deque<Entry> started = new ArrayDeque<>();

  private static final class Entry {
    private final String name;
    private final AutoCloseable stop;

    Entry(String name, AutoCloseable stop) {
      this.name = name;
      this.stop = stop;
    }
  }

  /**
   * Has something stopped before all that was added so far.
   *
   * @param name for people
   * @return what is to be stopped; owned by this from now on
   */
  public synchronized <T extends AutoCloseable> T add(String name, T stop) {
    started.push(new Entry(name, stop));
    return stop;
  }

  /**
   * Has something that was added stopped before everything that was added since, as if it had been
   * started now.
   */
  public synchronized void stopFirst(AutoCloseable stop) {
    for (Entry entry : started) {
      if (entry.stop == stop) {
        started.remove(entry);
        started.push(entry);
        return;
      }
    }
    throw new IllegalArgumentException("not started: " + stop);
  }

  @Override
  @SuppressWarnings("CatchingUnchecked") // The others have to be stopped too.
  public synchronized void close() {
    while (!started.isEmpty()) {
      Entry entry = started.pop();
      try {
        entry.stop.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        log.warn("{} did not stop cleanly", entry.name, e);
      }
    }
  }
}
