package io.sluice.common.placement;

/** Names of zones, racks and tags: 1 to 64 letters, digits, dots, dashes, underscores, slashes. */
public final class Label {
  /** Tags of one server, or of one application's wishes. */
  public static final int TAGS_MAX = 32;

  private static final int LENGTH_MAX = 64;

  private Label() {}

  /**
   * The label itself.
   *
   * @throws IllegalArgumentException whose message completes "NAME = VALUE: ..."
   */
  public static String parse(String text) {
    if (!isLabel(text)) {
      throw new IllegalArgumentException(
          "a label has 1 to "
              + LENGTH_MAX
              + " letters (a to z), digits, dots, dashes, underscores or slashes");
    }
    return text;
  }

  /** Whether a text is one. */
  public static boolean isLabel(String text) {
    return !text.isEmpty()
        && text.length() <= LENGTH_MAX
        && text.chars().allMatch(Label::isLabelLetter);
  }

  private static boolean isLabelLetter(int letter) {
    return (letter >= 'a' && letter <= 'z')
        || (letter >= 'A' && letter <= 'Z')
        || (letter >= '0' && letter <= '9')
        || "._-/".indexOf(letter) >= 0;
  }
}
