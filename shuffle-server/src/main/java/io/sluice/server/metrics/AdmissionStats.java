package io.sluice.server.metrics;

import io.sluice.transport.Principal;
import io.sluice.transport.auth.Authentications;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Who was let in and who was not, since start. Thread-safe. */
public final class AdmissionStats implements Authentications {
  private static final String ACCESS_DENIED = "access_denied";

  // Complete from the start, so that it is only read later.
  private final Map<String, LongAdder> outcomes = new TreeMap<>();

  AdmissionStats() {
    outcomes.put(name(Principal.Kind.APPLICATION), new LongAdder());
    outcomes.put(name(Principal.Kind.MEMBER), new LongAdder());
    for (Refusal why : Refusal.values()) {
      outcomes.put(name(why), new LongAdder());
    }
    outcomes.put(ACCESS_DENIED, new LongAdder());
  }

  @Override
  public void proved(Principal.Kind kind) {
    count(name(kind));
  }

  @Override
  public void refused(Refusal why) {
    count(name(why));
  }

  /** An application named what belongs to another one. */
  public void accessDenied() {
    count(ACCESS_DENIED);
  }

  private void count(String outcome) {
    LongAdder counter = outcomes.get(outcome);
    if (counter != null) {
      counter.increment();
    }
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** How often each outcome was met: the kind that was proved, or the reason for a refusal. */
  public Map<String, Long> outcomes() {
    Map<String, Long> now = new TreeMap<>();
    outcomes.forEach((outcome, counter) -> now.put(outcome, counter.sum()));
    return now;
  }
}
