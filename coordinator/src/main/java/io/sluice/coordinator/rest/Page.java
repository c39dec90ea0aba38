package io.sluice.coordinator.rest;

import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param next what to give as {@code after} to get the following part; null at the end
 */
record Page<T>(List<T> items, @Nullable String next) {
  /**
   * The part of a list that a call asks for: {@code limit} elements {@code after} a key. Elements
   * that come or go between two calls are seen or not; none is seen twice.
   */
  static <S, T> Page<T> of(Call call, List<S> all, Function<S, String> key, Function<S, T> view) {
    String after = call.parameter("after").orElse("");
    int limit = call.limit();
    List<S> part =
        all.stream()
            .filter(element -> key.apply(element).compareTo(after) > 0)
            .sorted(Comparator.comparing(key))
            .limit(limit + 1L)
            .toList();
    boolean more = part.size() > limit;
    List<S> shown = more ? part.subList(0, limit) : part;
    return new Page<>(
        shown.stream().map(view).toList(), more ? key.apply(shown.get(limit - 1)) : null);
  }
}
