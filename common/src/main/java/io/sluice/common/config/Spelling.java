package io.sluice.common.config;

import java.util.Collection;
import java.util.Optional;

/** Finds what a misspelt name was meant to be. */
public final class Spelling {
  private Spelling() {}

  /**
   * The nearest candidate, if at most a third of the name (and never more than 8 letters) is off.
   */
  public static Optional<String> nearest(String name, Collection<String> candidates) {
    String best = null;
    int bestDistance = Math.min(8, name.length() / 3) + 1;
    for (String candidate : candidates) {
      int distance = distance(name, candidate);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = candidate;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Levenshtein distance by the usual two-row table. */
  static int distance(String left, String right) {
    int[] previous = new int[right.length() + 1];
    int[] current = new int[right.length() + 1];
    for (int j = 0; j <= right.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      current[0] = i;
      for (int j = 1; j <= right.length(); j++) {
        int replaced = previous[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
      }
      int[] swap = previous;
      previous = current;
      current = swap;
    }
    return previous[right.length()];
  }
}
