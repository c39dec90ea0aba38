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
    // Keys are texts that are made: once for each, not for each comparison.
    List<Keyed<S>> part =
        all.stream()
            .map(element -> new Keyed<>(key.apply(element), element))
            .filter(keyed -> keyed.key().compareTo(after) > 0)
            .sorted(Comparator.comparing(Keyed::key))
            .limit(limit + 1L)
            .toList();
    boolean more = part.size() > limit;
    List<Keyed<S>> shown = more ? part.subList(0, limit) : part;
    return new Page<>(
        shown.stream().map(keyed -> view.apply(keyed.element())).toList(),
        more ? shown.get(limit - 1).key() : null);
  }

  private record Keyed<S>(String key, S element) {}
}
