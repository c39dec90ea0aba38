package io.sluice.common.config;

import java.util.ArrayList;
import java.util.List;

/** What is wrong with a list, one text per element that is wrong. Confined to who reads it. */
final class WrongElementsException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final ArrayList<String> problems = new ArrayList<>();

  WrongElementsException() {
    super("");
  }

  /**
   * @param problem completes "NAME = VALUE: ...", and says which element it is about
   */
  void add(String problem) {
    problems.add(problem);
  }

  void throwIfAny() {
    if (!problems.isEmpty()) {
      throw this;
    }
  }

  List<String> problems() {
    return List.copyOf(problems);
  }

  @Override
  public String getMessage() {
    return String.join("; ", problems);
  }
}
