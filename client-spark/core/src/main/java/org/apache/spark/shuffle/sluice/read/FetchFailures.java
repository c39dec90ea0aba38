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

  FetchFailures(int shuffleId, Winners winners, MissingMaps.Listener driver) {
    this.shuffleId = shuffleId;
    this.winners = winners;
    this.driver = driver;
  }

  /**
   * What to throw instead. For a gap it does not return but throws Spark's fetch failure, which
   * must be thrown the moment it is made.
   */
  SluiceException translate(SluiceException failure) {
    if (failure instanceof MissingBlocksException) {
      FetchFailures.<RuntimeException>throwUnchecked(report((MissingBlocksException) failure));
    }
    return failure;
  }

  private FetchFailedException report(MissingBlocksException gap) {
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
      driver.mapsMissing(
          new MissingMaps(shuffleId, mapIndices, locations, gap.complaints(), reason));
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
    return fetchFailed;
  }

  /** Spark's fetch failure is checked, and thrown through iterators that declare nothing. */
  @SuppressWarnings("unchecked")
  private static <E extends Exception> void throwUnchecked(Exception exception) throws E {
    throw (E) exception;
  }
}
