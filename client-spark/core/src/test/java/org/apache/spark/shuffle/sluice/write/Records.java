package org.apache.spark.shuffle.sluice.write;

import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;

/** Texts of some hundred characters, and what happens behind them. */
final class Records extends AbstractIterator<Product2<Integer, String>> {
  private final int count;
  private final Runnable behind;
  private int next;

  private Records(int count, Runnable behind) {
    this.count = count;
    this.behind = behind;
  }

  /** So many, and no more. */
  static Records of(int count) {
    return new Records(count, () -> {});
  }

  /** So many, and then a failure, after which no stream closes well. */
  static Records failing(int count, BrokenStreams streams) {
    return new Records(
        count,
        () -> {
          streams.breakNow();
          throw new IllegalStateException("no more, on purpose");
        });
  }

  @Override
  public boolean hasNext() {
    if (next == count) {
      behind.run();
    }
    return next < count;
  }

  @Override
  public Product2<Integer, String> next() {
    return new Tuple2<>(next, ("value " + next++).repeat(30));
  }
}
