package org.apache.spark.shuffle.sluice.ui;

import io.sluice.client.FixedPlacement;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.sluice.driver.ReusedShuffles;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.apache.spark.shuffle.sluice.line.SparkHeader;
import org.apache.spark.shuffle.sluice.line.UiLine;
import org.apache.spark.ui.SparkUI;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * The Sluice tab of a driver's UI, or nothing where there is none. Thread-safe. Lives as long as
 * Spark's UI and its queue of events, to which it belongs.
 */
public final class ShuffleTab implements ReusedShuffles.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(ShuffleTab.class);

  private final @Nullable ShuffleLedger ledger;
  private final IntFunction<@Nullable FixedPlacement> newest;

  private ShuffleTab(@Nullable ShuffleLedger ledger, IntFunction<@Nullable FixedPlacement> newest) {
    this.ledger = ledger;
    this.newest = newest;
  }

  /**
   * Puts the tab into the application's UI. Never throws: a job does not need it.
   *
   * @param env the driver's
   * @param newest the newest placement of a shuffle, null if it has none
   */
  public static ShuffleTab attach(
      SparkContext context,
      SparkEnv env,
      Supplier<ApplicationFacts> facts,
      ShuffleRoutes routes,
      IntFunction<@Nullable FixedPlacement> newest) {
    Option<SparkUI> ui = context.ui();
    if (ui.isEmpty()) {
      LOG.info("There is no Sluice tab, because Spark has no UI here");
      return new ShuffleTab(null, newest);
    }
    try {
      UiLine line = UiLine.of(context.version());
      SparkHeader.check();
      ShuffleLedger ledger = new ShuffleLedger();
      MapSizes sizes = new MapSizes((MapOutputTrackerMaster) env.mapOutputTracker(), routes);
      ShuffleViews views = new ShuffleViews(routes, ledger, newest);
      LedgerListener listener = new LedgerListener(ledger, sizes::of);
      SluiceTab tab =
          new SluiceTab(
              ui.get(),
              line,
              List.of(new ShufflesPage(facts.get(), views), new ShufflePage(views, sizes::of)));
      ui.get().attachTab(tab);
      context.listenerBus().addToStatusQueue(listener);
      return new ShuffleTab(ledger, newest);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("There is no Sluice tab in Spark's UI: jobs run without", e);
      return new ShuffleTab(null, newest);
    }
  }

  /** A shuffle is registered, and decided about. */
  public void registered(int shuffleId, boolean local) {
    if (ledger != null) {
      ledger.registered(shuffleId, local);
    }
  }

  @Override
  public void placedAgain(int shuffleId) {
    registered(shuffleId, false);
  }

  @Override
  public void ending(int shuffleId) {
    if (ledger != null) {
      FixedPlacement placement = newest.apply(shuffleId);
      if (placement == null) {
        ledger.ended(shuffleId, 0, 0);
      } else {
        ledger.ended(shuffleId, placement.servers().size(), placement.epochs());
      }
    }
  }
}
