package io.sluice.coordinator.rest;

import io.sluice.common.config.Spelling;
import io.sluice.common.error.ErrorCode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A request as the interface sees it.
 *
 * @param path as it was sent
 * @param query as it was sent
 * @param body at most some KB; treat as immutable
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
public record Call(String method, String path, String query, byte[] body, Caller caller) {
  private static final int LIMIT_MAX = 1_000;
  private static final int LIMIT_DEFAULT = 100;
  private static final char REPLACEMENT = '\uFFFD';

  /** What the caller may do. */
  public Role role() {
    return caller.role();
  }

  /** Parts of the path, unescaped. */
  List<String> segments() {
    List<String> segments = new ArrayList<>();
    for (String part : path.substring(1).split("/", -1)) {
      // A plus is a plus in a path.
      segments.add(unescaped(part.replace("+", "%2B")));
    }
    return segments;
  }

  Map<String, String> parameters() {
    Map<String, String> parameters = new HashMap<>();
    for (String pair : query.split("&")) {
      int equals = pair.indexOf('=');
      if (!pair.isEmpty()) {
        String name = unescaped(equals < 0 ? pair : pair.substring(0, equals));
        parameters.put(name, equals < 0 ? "" : unescaped(pair.substring(equals + 1)));
      }
    }
    return parameters;
  }

  /**
   * Refuses parameters that nobody would look at: one that is misspelt would ask for something else
   * than was meant.
   *
   * @throws RestException 400 naming each
   */
  void requireKnown(Set<String> known) {
    List<String> unknown =
        parameters().keySet().stream().filter(name -> !known.contains(name)).sorted().toList();
    if (!unknown.isEmpty()) {
      throw RestException.of(
          400,
          ErrorCode.INVALID_ARGUMENT,
          unknown.stream().map(name -> unknown(name, known)).collect(Collectors.joining("; "))
              + (known.isEmpty()
                  ? "; there is none here"
                  : "; known are " + String.join(", ", new TreeSet<>(known))));
    }
  }

  private static String unknown(String name, Set<String> known) {
    return "unknown parameter '"
        + name
        + "'"
        + Spelling.nearest(name, known).map(near -> ": did you mean " + near + "?").orElse("");
  }

  Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters().get(name));
  }

  /** Whether it asks to be answered later, when something happens. */
  public boolean waits() {
    return parameters().containsKey("wait");
  }

  /** How many elements a list is to have at most. */
  int limit() {
    return (int) number("limit", LIMIT_DEFAULT, 1, LIMIT_MAX);
  }

  /** A whole number within bounds, both included. */
  long number(String name, long otherwise, long least, long most) {
    Optional<String> text = parameter(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      long value = Long.parseLong(text.get());
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw wrong(name, least, most, e);
    }
    throw wrong(name, least, most, null);
  }

  /** What is true or false, and false if it is not said. */
  boolean flag(String name) {
    String text = parameter(name).orElse("false");
    if (text.equals("true") || text.equals("false")) {
      return text.equals("true");
    }
    throw RestException.of(400, ErrorCode.INVALID_ARGUMENT, name + " is neither true nor false");
  }

  private static RestException wrong(
      String name, long least, long most, @Nullable Exception cause) {
    return RestException.of(
        400,
        ErrorCode.INVALID_ARGUMENT,
        name + " is not a whole number from " + least + " to " + most,
        cause);
  }

  private static String unescaped(String text) {
    String name;
    try {
      name = URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw RestException.of(400, ErrorCode.INVALID_ARGUMENT, "the address has a broken escape", e);
    }
    // What a decoder puts in place of bytes that are none: two names would be one.
    if (name.indexOf(REPLACEMENT) >= 0) {
      throw RestException.of(
          400, ErrorCode.INVALID_ARGUMENT, "the address has escapes that are not UTF-8");
    }
    return name;
  }
}
