package io.sluice.coordinator.admission;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.IdText;

/**
 * Whose quota it is, written as {@code user:ada}, {@code application:UUID}, or with an asterisk for
 * each user, or each application, that has none of its own.
 */
public record Subject(Kind kind, String name) {
  private static final String EACH = "*";
  private static final int NAME_MAX = 256;

  /** What is limited. */
  public enum Kind {
    USER,
    APPLICATION;

    String prefix() {
      return this == USER ? "user:" : "application:";
    }
  }

  public static Subject user(String name) {
    return new Subject(Kind.USER, name);
  }

  /** Each one of a kind that has no quota of its own. */
  public static Subject each(Kind kind) {
    return new Subject(kind, EACH);
  }

  /**
   * @throws SluiceException INVALID_ARGUMENT
   */
  public static Subject parse(String text) {
    for (Kind kind : Kind.values()) {
      if (text.startsWith(kind.prefix())) {
        Subject subject = new Subject(kind, text.substring(kind.prefix().length()));
        subject.check();
        return subject.canonical();
      }
    }
    throw new SluiceException(
        ErrorCode.INVALID_ARGUMENT,
        "'" + text + "' is neither user:NAME nor application:UUID (or * for each)");
  }

  /** People may write it in either case. */
  private Subject canonical() {
    return kind == Kind.APPLICATION && !name.equals(EACH)
        ? new Subject(kind, IdText.parse(name).toString())
        : this;
  }

  private void check() {
    boolean odd = name.chars().anyMatch(Character::isISOControl);
    if (name.isEmpty() || name.length() > NAME_MAX || odd) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "a name has 1 to " + NAME_MAX + " letters and no control characters");
    }
    if (kind == Kind.APPLICATION && !name.equals(EACH)) {
      try {
        IdText.parse(name);
      } catch (IllegalArgumentException e) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT, "'" + name + "' is not the id of an application", e);
      }
    }
  }

  @Override
  public String toString() {
    return kind.prefix() + name;
  }
}
