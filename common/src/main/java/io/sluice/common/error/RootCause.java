package io.sluice.common.error;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What a failure comes from in the end, for people: libraries put it below one or two of theirs.
 */
public final class RootCause {
  /** Chains of causes are short; one that is not may go in a circle. */
  private static final int DEPTH = 16;

  private RootCause() {}

  /** The innermost message of a failure and its causes, or null if none has one. */
  public static @Nullable String message(@Nullable Throwable failure) {
    Deque<String> messages = new ArrayDeque<>();
    Throwable at = failure;
    for (int depth = 0; at != null && depth < DEPTH; depth++) {
      if (at.getMessage() != null) {
        messages.push(at.getMessage());
      }
      at = at.getCause();
    }
    return messages.peek();
  }

  /** A text and what is behind it, where that says more; the first line of each. */
  public static String behind(String text, @Nullable Throwable cause) {
    String message = message(cause);
    String first = firstLine(text);
    return message == null || text.contains(message) ? first : first + ": " + firstLine(message);
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }
}
