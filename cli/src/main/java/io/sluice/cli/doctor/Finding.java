package io.sluice.cli.doctor;

/**
 * What one check came to.
 *
 * @param detail what was found, and what to do if that is not well
 */
record Finding(String check, Verdict verdict, String detail) {
  /** How it is. */
  enum Verdict {
    OK,
    /** Works, and should be looked at. */
    WARN,
    /** Does not work. */
    FAIL,
    /** Could not be looked at. */
    SKIP
  }

  static Finding ok(String check, String detail) {
    return new Finding(check, Verdict.OK, detail);
  }

  static Finding warn(String check, String detail) {
    return new Finding(check, Verdict.WARN, detail);
  }

  static Finding fail(String check, String detail) {
    return new Finding(check, Verdict.FAIL, detail);
  }

  static Finding skip(String check, String detail) {
    return new Finding(check, Verdict.SKIP, detail);
  }
}
