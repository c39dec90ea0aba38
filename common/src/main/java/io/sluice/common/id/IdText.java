package io.sluice.common.id;

import java.util.UUID;
import java.util.regex.Pattern;

/** Ids of servers and applications as people write them: as they are printed. */
public final class IdText {
  // UUID.fromString takes "1-2-3-4-5" too, so that one thing would have many names; and what it
  // says of the others is for programmers.
  private static final Pattern CANONICAL =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private IdText() {}

  /**
   * Reads an id.
   *
   * @throws IllegalArgumentException saying what one looks like
   */
  public static UUID parse(String text) {
    if (!CANONICAL.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "no id: one is 32 hexadecimal digits, as in 123e4567-e89b-12d3-a456-426614174000");
    }
    return UUID.fromString(text);
  }
}
