package io.sluice.simulation.time;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The last events, for whoever has to explain a failure, and a fingerprint of all of them: two runs
 * of one seed must have the same.
 */
public final class Trace {
  private static final int KEPT = 1 << 10;

  private final long[] times = new long[KEPT];
  private final Object[] subjects = new Object[KEPT];
  private final String[] texts = new String[KEPT];
  private long count;
  private long fingerprint = 0xCBF29CE484222325L;

  /** Notes an event; its subject is turned into text only if somebody reads the trace. */
  void event(long time, Object subject, String text) {
    int at = (int) (count++ % KEPT);
    times[at] = time;
    subjects[at] = subject;
    texts[at] = text;
    mix(time);
    mix(text.hashCode());
  }

  /** Notes something that happens within an event, with its numbers. */
  public void note(long time, Object subject, String text) {
    event(time, subject, "  " + text);
  }

  // FNV-1a over 64-bit words.
  private void mix(long word) {
    fingerprint = (fingerprint ^ word) * 0x100000001B3L;
  }

  public long fingerprint() {
    return fingerprint;
  }

  /** The last events, oldest first, at most so many. */
  public List<String> last(int most) {
    List<String> lines = new ArrayList<>();
    long first = Math.max(0, count - Math.min(most, KEPT));
    for (long i = first; i < count; i++) {
      int at = (int) (i % KEPT);
      lines.add(
          String.format(
              Locale.ROOT, "%,15d µs  %-28s %s", times[at] / 1000, subjects[at], texts[at]));
    }
    return lines;
  }
}
