package io.sluice.mapreduce.job;

import io.sluice.client.FixedPlacement;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The history of where a job's map outputs go, one for all its tasks: each version begins with the
 * epochs of the one before it. Whoever appends a version first decides what it is. Thread-safe.
 */
interface PlacementLog {
  /** The newest version, or null if there is none. */
  @Nullable Version newest() throws IOException;

  /**
   * Appends a version.
   *
   * @param number one more than the newest one's, 0 for the first
   * @return false if somebody else has appended it, and nothing has changed
   */
  boolean append(int number, FixedPlacement placement) throws IOException;

  /**
   * Makes room for versions.
   *
   * @throws IOException if the job is not there any more
   */
  void begin() throws IOException;

  /** Says that the job's lease was renewed just now. */
  void renewed(Version newest, long nowMillis) throws IOException;

  /** One version. Immutable. */
  final class Version {
    private final int number;
    private final FixedPlacement placement;
    private final long renewedMillis;

    /**
     * @param renewedMillis when the job's lease was renewed last, since 1970 UTC
     */
    Version(int number, FixedPlacement placement, long renewedMillis) {
      this.number = number;
      this.placement = placement;
      this.renewedMillis = renewedMillis;
    }

    long renewedMillis() {
      return renewedMillis;
    }

    int number() {
      return number;
    }

    FixedPlacement placement() {
      return placement;
    }
  }
}
