package org.apache.spark.shuffle.sluice.write;

import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;

/** Texts of some hundred characters, and what happens before one of them. */
final class Records extends AbstractIterator<Product2<Integer, String>> {
  private final int count;
  private final int place;
  private final Runnable event;
  private int next;
  private boolean happened;

  private Records(int count, int place, Runnable event) {
    this.count = count;
    this.place = place;
    this.event = event;
  }

  static Records of(int count) {
    return new Records(count, count, () -> {});
  }

  /** So many, before one of which something happens, once, as in operators that they come from. */
  static Records with(int count, int place, Runnable event) {
    return new Records(count, place, event);
  }

  /** So many, and then a failure, after which no stream closes well. */
  static Records failing(int count, BrokenStreams streams) {
    return new Records(
        count,
        count,
        () -> {
          streams.breakNow();
          throw new IllegalStateException("no more, on purpose");
        });
  }

  @Override
  public boolean hasNext() {
    if (next == place && !happened) {
      happened = true;
      event.run();
    }
    return next < count;
  }

  @Override
  public Product2<Integer, String> next() {
    return new Tuple2<>(next, ("value " + next++).repeat(30));
  }
}
