package io.sluice.common.config;

/** A key and the value that a user gave it, as text: nothing of it is checked yet. Immutable. */
public final class Assignment {
  private final String key;
  private final String value;

  public Assignment(String key, String value) {
    this.key = key;
    this.value = value;
  }

  /**
   * Reads {@code KEY=VALUE}. The value may have equals signs, and may be empty.
   *
   * @throws IllegalArgumentException if there is no key or no equals sign
   */
  public static Assignment parse(String text) {
    int end = text.indexOf('=');
    if (end < 1) {
      throw new IllegalArgumentException("'" + text + "' is not KEY=VALUE");
    }
    return new Assignment(text.substring(0, end), text.substring(end + 1));
  }

  public String key() {
    return key;
  }

  public String value() {
    return value;
  }
}
