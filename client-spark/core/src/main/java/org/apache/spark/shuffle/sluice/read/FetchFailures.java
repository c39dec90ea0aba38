package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.MissingBlocksException;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.common.error.SluiceException;
import java.util.List;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what a reader found missing into what Spark recovers from. Spark takes one map per fetch
 * failure, and a few failures end a stage; so the driver is first told of all of them at once.
 */
final class FetchFailures {
  private static final Logger LOG = LoggerFactory.getLogger(FetchFailures.class);

  private final int shuffleId;
  private final Winners winners;
  private final MissingMaps.Listener driver;
  private final boolean lastAttempt;

  /**
   * @param lastAttempt whether the job fails if this attempt of the task does
   */
  FetchFailures(int shuffleId, Winners winners, MissingMaps.Listener driver, boolean lastAttempt) {
    this.shuffleId = shuffleId;
    this.winners = winners;
    this.driver = driver;
    this.lastAttempt = lastAttempt;
  }

  /**
   * What to throw instead. For a gap, or a block that cannot be read, it does not return but throws
   * Spark's fetch failure, which must be thrown the moment it is made; unless the driver says that
   * nothing is lost. Then the attempt fails with the reason why it could not reach a server, and
   * Spark runs the task again.
   */
  SluiceException translate(SluiceException failure) {
    if (failure instanceof MissingBlocksException) {
      MissingBlocksException gap = (MissingBlocksException) failure;
      String reason = String.valueOf(gap.getMessage());
      boolean forGood = lastAttempt || !gap.isOutOfReach();
      report(
          new MissingMaps(shuffleId, gap.maps(), gap.complaints(), reason, forGood)
              .withLaterLives(gap.laterLives()),
          gap.maps().get(0),
          gap);
      return outOfReach(gap);
    }
    if (failure instanceof UnreadableBlockException) {
      damaged((UnreadableBlockException) failure);
    }
    return failure;
  }

  /**
   * A block that was damaged before it was sent, or after it was checked: no replica has another
   * one, so its map is run again. Should that not help, as if the key is a wrong one, Spark gives
   * up after as many attempts of the stage as {@code spark.stage.maxConsecutiveAttempts} says.
   */
  private void damaged(UnreadableBlockException damage) {
    String reason = damage.code() + ": shuffle " + shuffleId + ", " + damage.detail();
    LOG.warn(
        "The map is run again of a block that is as it was sent and cannot be read: {}",
        reason,
        damage);
    MissingMap map = damage.block().map();
    MissingMaps alone = new MissingMaps(shuffleId, List.of(map), List.of(), reason, true);
    report(alone.withAllDelivered(), map, damage);
  }

  /**
   * Throws Spark's fetch failure. Returns only if the driver says that nothing is lost, which it
   * never does of what is missing for good.
   */
  private void report(MissingMaps report, MissingMap first, SluiceException cause) {
    Throwable unreported = null;
    try {
      if (!driver.mapsMissing(report)) {
        return;
      }
    } catch (RuntimeException e) {
      // Spark still learns of the first one below; the others cost a round each.
      unreported = e;
    }
    FetchFailedException fetchFailed =
        new FetchFailedException(
            winners.location(first.mapIndex()),
            shuffleId,
            first.attemptId(),
            first.mapIndex(),
            first.partition(),
            report.reason() + " (" + report.count() + " maps to recompute)",
            cause);
    if (unreported != null) {
      fetchFailed.addSuppressed(unreported);
    }
    throwUnchecked(fetchFailed);
  }

  private static SluiceException outOfReach(MissingBlocksException gap) {
    return new SluiceException(
        gap.complaints().get(0).code(),
        "not to be reached from here, though coordinators hear them: "
            + gap.complaints()
            + ". No map output is lost for that; this attempt fails, so that the task runs again,"
            + " in another executor if it can. "
            + gap.detail(),
        gap);
  }

  /** Spark's fetch failure is checked, and thrown through iterators that declare nothing. */
  private static void throwUnchecked(Exception exception) {
    FetchFailures.<RuntimeException>throwAs(exception);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Exception> void throwAs(Exception exception) throws E {
    throw (E) exception;
  }
}
