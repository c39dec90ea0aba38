package io.sluice.common.config;

import java.util.ArrayList;
import java.util.List;

/** What is wrong with a list, one text per element that is wrong. Confined to who reads it. */
final class WrongElementsException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final ArrayList<String> problems;

  /**
   * @param problems each completes "NAME = VALUE: ...", and says which element it is about
   */
  WrongElementsException(List<String> problems) {
    super("");
    this.problems = new ArrayList<>(problems);
  }

  List<String> problems() {
    return List.copyOf(problems);
  }

  @Override
  public String getMessage() {
    return String.join("; ", problems);
  }
}
