package org.apache.spark.shuffle.sluice.ui;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A part of many shuffles, as a request wants it. Immutable. */
final class Extract {
  final Order order;
  final List<ShuffleView> views;
  final int total;
  final int page;
  final int pages;

  /** How many come before the first of these. */
  final int before;

  /**
   * @param all in any order; sorted here
   * @param pageMax shuffles on a page
   * @throws IllegalArgumentException if the request wants what is no order or no page; one after
   *     the last is the last, since shuffles are forgotten
   */
  Extract(List<ShuffleView> all, Function<String, @Nullable String> parameters, int pageMax) {
    order = Order.of(parameters);
    total = all.size();
    pages = Math.max(1, (total + pageMax - 1) / pageMax);
    page = Math.min(pages, Parameters.number(parameters, "page", 1, 1));
    before = (page - 1) * pageMax;
    all.sort(order.comparator());
    views = List.copyOf(all.subList(before, Math.min(total, before + pageMax)));
  }
}
