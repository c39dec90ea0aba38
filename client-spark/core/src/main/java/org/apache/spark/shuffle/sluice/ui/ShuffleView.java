package org.apache.spark.shuffle.sluice.ui;

import org.apache.spark.shuffle.sluice.driver.ShuffleRoute;
import org.jspecify.annotations.Nullable;

/** One shuffle as it is shown. Immutable, its figures a copy. */
final class ShuffleView {
  final ShuffleRoute route;
  final boolean registered;
  final ShuffleFigures figures;

  /** That any epoch names; 0 if it is local. */
  final int servers;

  /** 0 if it is local. */
  final int epochs;

  ShuffleView(
      ShuffleRoute route, boolean registered, ShuffleFigures figures, int servers, int epochs) {
    this.route = route;
    this.registered = registered;
    this.figures = figures;
    this.servers = servers;
    this.epochs = epochs;
  }

  int id() {
    return route.shuffleId();
  }

  String state() {
    return registered ? "registered" : "removed";
  }

  String way() {
    return route.isLocal() ? "Spark's own" : "Sluice";
  }

  /** Times that partitions of it were given to other servers. */
  int moves() {
    return Math.max(0, epochs - 1);
  }

  /** Bytes of the largest partition; -1 if they are not known. */
  long largest() {
    PartitionSizes sizes = figures.sizes;
    return sizes == null ? -1 : sizes.max();
  }

  /** How many times the median the largest partition is; NaN if that is not known. */
  double skew() {
    PartitionSizes sizes = figures.sizes;
    return sizes == null ? Double.NaN : sizes.skew();
  }

  /** Alone, or together with others. */
  long read() {
    return figures.bytesRead + figures.bytesReadTogether;
  }

  /** Null if no stage of its maps has ended. */
  @Nullable PartitionSizes sizes() {
    return figures.sizes;
  }
}
