package org.apache.spark.shuffle.sluice.ui;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Orders of shuffles, the largest first. */
enum Order {
  ID("latest"),
  WRITTEN("bytes written"),
  READ("bytes read"),
  LARGEST("largest partition"),
  SKEW("skew");

  private final String label;

  Order(String label) {
    this.label = label;
  }

  /** For people. */
  String label() {
    return label;
  }

  /** In requests. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  Comparator<ShuffleView> comparator() {
    Comparator<ShuffleView> smallestFirst = Comparator.comparingDouble(this::figure);
    return smallestFirst.thenComparingInt(ShuffleView::id).reversed();
  }

  private double figure(ShuffleView view) {
    switch (this) {
      case ID:
        return view.id();
      case WRITTEN:
        return view.figures.bytesWritten;
      case READ:
        return view.read();
      case LARGEST:
        return view.largest();
      case SKEW:
        return Double.isNaN(view.skew()) ? -1 : view.skew();
    }
    throw new AssertionError(this);
  }

  /**
   * What a request wants.
   *
   * @throws IllegalArgumentException if there is no such order
   */
  static Order of(Function<String, @Nullable String> parameters) {
    String wanted = parameters.apply("sort");
    if (wanted == null) {
      return ID;
    }
    for (Order order : values()) {
      if (order.key().equals(wanted)) {
        return order;
      }
    }
    throw new IllegalArgumentException(
        "INVALID_ARGUMENT: 'sort' must be one of "
            + Arrays.stream(values()).map(Order::key).collect(Collectors.joining(", ")));
  }
}
