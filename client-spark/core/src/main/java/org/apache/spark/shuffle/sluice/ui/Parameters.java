package org.apache.spark.shuffle.sluice.ui;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parameters of a request. None is repeated in what is said of it. */
final class Parameters {
  private Parameters() {}

  /**
   * A number.
   *
   * @param otherwise if there is none; null if there must be one
   * @throws IllegalArgumentException naming the parameter
   */
  static int number(
      Function<String, @Nullable String> parameters,
      String name,
      int least,
      @Nullable Integer otherwise) {
    String text = parameters.apply(name);
    if (text == null && otherwise != null) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(text == null ? "" : text.trim());
      if (number >= least) {
        return number;
      }
    } catch (NumberFormatException e) {
      // As one that is too small.
    }
    throw new IllegalArgumentException(
        "INVALID_ARGUMENT: '" + name + "' must be a whole number from " + least + " on");
  }
}
