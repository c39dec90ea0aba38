package io.sluice.coordinator.rest;

import io.sluice.common.time.Scheduler;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * How many lines callers that are refused get: anybody who reaches the port can be refused as often
 * as he likes, and is not to fill a disk with it. In a minute, which begins with the first of them,
 * each caller gets {@value #LINES}; callers are told apart by where they call from, without the
 * port, and beyond {@value #CALLERS} they share. So there are a thousand lines a minute at most.
 * What was left out is counted, and said when the minute is over. Thread-safe.
 */
final class RefusedLines {
  static final int LINES = 10;
  static final int CALLERS = 100;
  static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Of those who share. */
  static final String OTHERS = "others";

  private static final Pattern PORT = Pattern.compile(":[0-9]+(?= |$)");
  private static final int LETTERS = 256;

  private final Scheduler scheduler;
  private final BiConsumer<String, Long> onMinute;

  // Guarded by this. Empty between minutes.
  private final Map<String, Long> refused = new LinkedHashMap<>();

  /**
   * @param onMinute told, on the scheduler's thread, of each caller from whom more came than there
   *     were lines for, and how many more
   */
  RefusedLines(Scheduler scheduler, BiConsumer<String, Long> onMinute) {
    this.scheduler = scheduler;
    this.onMinute = onMinute;
  }

  /**
   * A caller was refused; returns whether that is to be a line.
   *
   * @param from as in {@link Caller}
   */
  synchronized boolean takes(String from) {
    String caller = PORT.matcher(from).replaceAll("");
    caller = caller.substring(0, Math.min(caller.length(), LETTERS));
    if (refused.isEmpty()) {
      scheduler.schedule(MINUTE_NANOS, this::over);
    }
    String one = refused.containsKey(caller) || refused.size() < CALLERS ? caller : OTHERS;
    return refused.merge(one, 1L, Long::sum) <= LINES;
  }

  private void over() {
    Map<String, Long> all;
    synchronized (this) {
      all = new LinkedHashMap<>(refused);
      refused.clear();
    }
    all.forEach(
        (caller, count) -> {
          if (count > LINES) {
            onMinute.accept(caller, count - LINES);
          }
        });
  }
}
