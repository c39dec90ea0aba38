package org.apache.spark.shuffle.sluice.driver;

import java.lang.reflect.Field;
import org.apache.spark.MapOutputTrackerMaster;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps Spark's scheduler from sending tasks to where map outputs are, which is made up for ours.
 *
 * <p>{@code spark.shuffle.reduceLocality.enabled=false} does that, but the driver's map output
 * tracker reads it when it is made, and Spark makes the tracker before the shuffle manager that
 * sets it. With locality left on, each map's made-up host becomes a place that tasks prefer: of
 * reducers that get a fifth of their bytes or more from one map, of AQE's local readers and of its
 * skew splits. Spark then waits for such places where another task of the stage has a real one,
 * looks up the rack of each on YARN, and asks YARN for executors there (docs/architecture.md).
 */
public final class ReduceLocality {
  private static final Logger LOG = LoggerFactory.getLogger(ReduceLocality.class);

  /** In 3.5.9 to 4.3.0; all that the tracker answers about places asks it. */
  private static final String ENABLED = "shuffleLocalityEnabled";

  private ReduceLocality() {}

  /**
   * Makes a tracker know no places, for all shuffles of the application. To be called before a
   * stage that reads one of ours is submitted.
   */
  public static void turnOff(MapOutputTrackerMaster tracker) {
    try {
      Field enabled = MapOutputTrackerMaster.class.getDeclaredField(ENABLED);
      enabled.setAccessible(true);
      enabled.setBoolean(tracker, false);
    } catch (ReflectiveOperationException | RuntimeException unknown) {
      LOG.warn(
          "Start drivers of this Spark with spark.shuffle.reduceLocality.enabled=false: it cannot"
              + " be set later there ({}), and tasks may wait for places that do not exist",
          unknown.toString());
    }
  }
}
