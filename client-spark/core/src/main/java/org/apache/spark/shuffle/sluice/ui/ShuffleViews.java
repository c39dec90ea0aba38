package org.apache.spark.shuffle.sluice.ui;

import io.sluice.client.FixedPlacement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoute.Why;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.jspecify.annotations.Nullable;

/** Routes, placements and figures put together for the pages. Thread-safe. */
final class ShuffleViews {
  private final ShuffleRoutes routes;
  private final ShuffleLedger ledger;
  private final IntFunction<@Nullable FixedPlacement> newest;

  /**
   * @param newest the newest placement of a shuffle, null if it has none
   */
  ShuffleViews(
      ShuffleRoutes routes, ShuffleLedger ledger, IntFunction<@Nullable FixedPlacement> newest) {
    this.routes = routes;
    this.ledger = ledger;
    this.newest = newest;
  }

  /** Of all shuffles that are known, in no particular order. */
  List<ShuffleView> all() {
    List<ShuffleView> views = new ArrayList<>();
    routes.ended().forEach(route -> views.add(view(route, false)));
    routes.registered().forEach(route -> views.add(view(route, true)));
    return views;
  }

  /** Null if it is not known, or not any more. */
  @Nullable ShuffleView one(int shuffleId) {
    ShuffleRoute route = routes.registered(shuffleId);
    if (route != null) {
      return view(route, true);
    }
    ShuffleView last = null;
    for (ShuffleRoute ended : routes.ended()) {
      last = ended.shuffleId() == shuffleId ? view(ended, false) : last;
    }
    return last;
  }

  private ShuffleView view(ShuffleRoute route, boolean registered) {
    ShuffleFigures figures = ledger.figures(route.shuffleId());
    FixedPlacement placement = registered ? placement(route.shuffleId()) : null;
    return placement == null
        ? new ShuffleView(route, registered, figures, figures.servers, figures.epochs)
        : new ShuffleView(
            route, registered, figures, placement.servers().size(), placement.epochs());
  }

  /** The newest; null if the shuffle is local or gone. */
  @Nullable FixedPlacement placement(int shuffleId) {
    return newest.apply(shuffleId);
  }

  /** A copy. */
  ShuffleLedger.Totals totals() {
    return ledger.totals();
  }

  /** How many shuffles went each way, ever. */
  Map<Why, Long> decided() {
    Map<Why, Long> decided = new EnumMap<>(Why.class);
    for (Why why : Why.values()) {
      decided.put(why, routes.decided(why));
    }
    return decided;
  }
}
