package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.MissingBlocksException;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.common.error.SluiceException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.storage.BlockManagerId;

/**
 * Turns what a reader found missing into what Spark recovers from. Spark takes one map per fetch
 * failure, and a few failures end a stage; so the driver is first told of all of them at once.
 */
final class FetchFailures {
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
   * What to throw instead. For a gap it does not return but throws Spark's fetch failure, which
   * must be thrown the moment it is made; unless the driver says that nothing is lost. Then the
   * attempt fails with the reason why it could not reach a server, and Spark runs the task again.
   */
  SluiceException translate(SluiceException failure) {
    return failure instanceof MissingBlocksException
        ? report((MissingBlocksException) failure)
        : failure;
  }

  private SluiceException report(MissingBlocksException gap) {
    List<MissingMap> missing = gap.maps();
    String reason = String.valueOf(gap.getMessage());
    int[] mapIndices = new int[missing.size()];
    List<BlockManagerId> locations = new ArrayList<>(missing.size());
    for (int i = 0; i < mapIndices.length; i++) {
      mapIndices[i] = missing.get(i).mapIndex();
      locations.add(winners.location(mapIndices[i]));
    }
    Throwable unreported = null;
    try {
      MissingMaps report =
          new MissingMaps(shuffleId, mapIndices, locations, gap.complaints(), reason, lastAttempt);
      if (!driver.mapsMissing(report)) {
        return outOfReach(gap);
      }
    } catch (RuntimeException e) {
      // Spark still learns of the first one below; the others cost a round each.
      unreported = e;
    }
    MissingMap first = missing.get(0);
    FetchFailedException fetchFailed =
        new FetchFailedException(
            locations.get(0),
            shuffleId,
            first.attemptId(),
            first.mapIndex(),
            first.partition(),
            reason + " (" + missing.size() + " maps to recompute)",
            gap);
    if (unreported != null) {
      fetchFailed.addSuppressed(unreported);
    }
    throw FetchFailures.<RuntimeException>throwUnchecked(fetchFailed);
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
  @SuppressWarnings("unchecked")
  private static <E extends Exception> SluiceException throwUnchecked(Exception exception)
      throws E {
    throw (E) exception;
  }
}
