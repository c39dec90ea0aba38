package io.sluice.common.config;

import java.util.Collection;
import java.util.Optional;

/** Finds what a misspelt name was meant to be. */
public final class Spelling {
  private Spelling() {}

  /**
   * The nearest candidate, if at most a third of the name (and never more than 8 letters) is off,
   * and less than all of what follows the dots that both share.
   */
  public static Optional<String> nearest(String name, Collection<String> candidates) {
    String best = null;
    int bestDistance = Math.min(8, name.length() / 3) + 1;
    for (String candidate : candidates) {
      int distance = distance(name, candidate);
      if (distance < bestDistance && distance < name.length() - sharedPrefix(name, candidate)) {
        bestDistance = distance;
        best = candidate;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Length of the parts, each with its dot, that two names begin with. */
  private static int sharedPrefix(String left, String right) {
    int shared = 0;
    int length = Math.min(left.length(), right.length());
    for (int i = 0; i < length && left.charAt(i) == right.charAt(i); i++) {
      if (left.charAt(i) == '.') {
        shared = i + 1;
      }
    }
    return shared;
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
