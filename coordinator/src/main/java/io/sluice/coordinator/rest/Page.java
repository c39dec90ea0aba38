package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
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
   *
   * @param reader of a key as a caller wrote it; throws IllegalArgumentException if it is none
   */
  static <S, T> Page<T> of(
      Call call,
      List<S> all,
      Function<S, String> key,
      UnaryOperator<String> reader,
      Function<S, T> view) {
    String after = after(call, reader);
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

  /** Where a list goes on: at its beginning if the call does not say, or says nothing. */
  private static String after(Call call, UnaryOperator<String> reader) {
    String text = call.parameter("after").orElse("");
    try {
      return text.isEmpty() ? "" : reader.apply(text);
    } catch (IllegalArgumentException e) {
      throw RestException.of(
          400,
          ErrorCode.INVALID_ARGUMENT,
          "after '" + text + "': " + e.getMessage() + "; give what an answer had as next",
          e);
    }
  }

  private record Keyed<S>(String key, S element) {}
}
