package io.sluice.coordinator;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was started, stopped in the reverse order whatever happens. */
final class Parts implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Coordinator.class);

  private record Part(String name, AutoCloseable stop) {}

  private final Deque<Part> started = new ArrayDeque<>();

  synchronized void add(String name, AutoCloseable stop) {
    started.push(new Part(name, stop));
  }

  /**
   * Has something that was added stopped before everything that was added since, as if it had been
   * started now.
   */
  synchronized void stopFirst(AutoCloseable stop) {
    for (Part part : started) {
      if (part.stop() == stop) {
        started.remove(part);
        started.push(part);
        return;
      }
    }
    throw new IllegalArgumentException("not started: " + stop);
  }

  /** Names, in the order in which they would be stopped now. */
  synchronized List<String> stopOrder() {
    return started.stream().map(Part::name).toList();
  }

  @Override
  @SuppressWarnings("CatchingUnchecked") // The others have to be stopped too.
  public synchronized void close() {
    while (!started.isEmpty()) {
      Part part = started.pop();
      try {
        part.stop().close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        log.warn("{} did not stop cleanly", part.name(), e);
      }
    }
  }
}
