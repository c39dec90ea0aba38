package io.sluice.coordinator.application;

import io.sluice.common.id.ApplicationId;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One thing that applications say of themselves, such as whose they are, numbered in the order in
 * which it became known, so that whoever has been told up to some number needs only that number to
 * go on.
 */
public final class Declarations<T> {
  private final NavigableMap<Long, Declared<T>> byNumber = new TreeMap<>();
  private final Map<ApplicationId, Long> numbers = new HashMap<>();
  private long last;

  /** What one application said first. */
  public record Declared<T>(long number, ApplicationId application, T value) {}

  /** Notes what an application says; the first one stays. */
  void declare(ApplicationId application, T value) {
    if (!numbers.containsKey(application)) {
      last++;
      numbers.put(application, last);
      byNumber.put(last, new Declared<>(last, application, value));
    }
  }

  void forget(ApplicationId application) {
    Long number = numbers.remove(application);
    if (number != null) {
      byNumber.remove(number);
    }
  }

  /** What an application has said, or null. */
  public @Nullable T of(ApplicationId application) {
    Long number = numbers.get(application);
    Declared<T> declared = number == null ? null : byNumber.get(number);
    return declared == null ? null : declared.value();
  }

  /** The one that became known next after a number, or null. */
  public @Nullable Declared<T> after(long number) {
    Map.Entry<Long, Declared<T>> next = byNumber.higherEntry(number);
    return next == null ? null : next.getValue();
  }
}
