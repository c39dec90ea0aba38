package io.sluice.mapreduce.read;

import io.sluice.client.MissingBlocksException;
import io.sluice.client.PlacedServer;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.mapreduce.job.ServerFate;
import io.sluice.mapreduce.job.ShuffleAccess;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether map outputs that a reader did not get are lost. They are if servers have said so, or if
 * coordinators have given up those that said nothing. If not, there is no way from here to there,
 * and another machine may have one: this attempt has to fail, and no map to run again. The last
 * attempt has no other machine to hope for, and takes for lost what it cannot reach. Used by one
 * thread.
 */
final class LossCheck {
  private static final Logger LOG = LoggerFactory.getLogger(LossCheck.class);

  /** How often servers may come back within one attempt, and be asked again. */
  private static final int MAX_RETURNS = 4;

  private final ShuffleAccess shuffle;
  private final boolean lastAttempt;
  private int returns;

  /**
   * @param lastAttempt whether the job fails if this attempt does
   */
  LossCheck(ShuffleAccess shuffle, boolean lastAttempt) {
    this.shuffle = shuffle;
    this.lastAttempt = lastAttempt;
  }

  /**
   * Waits until coordinators have made up their minds, if need be.
   *
   * @return whether what the reader missed is lost; if not, it can be asked for again
   * @throws SluiceException with the reason why a server did not answer, if it is not lost; or
   *     COORDINATOR_UNAVAILABLE if nobody says whether it is; APPLICATION_ENDED if everything is
   *     lost, because an operator has ended the job
   */
  boolean isLost(MissingBlocksException gap) throws InterruptedException {
    if (gap.complaints().isEmpty()) {
      requireGoesOn(gap);
      return true;
    }
    Map<PlacedServer, ErrorCode> silent = new LinkedHashMap<>();
    for (Complaint complaint : gap.complaints()) {
      silent.putIfAbsent(complaint.server(), complaint.code());
    }
    boolean back = false;
    for (Map.Entry<PlacedServer, ErrorCode> entry : silent.entrySet()) {
      ServerFate fate = fate(entry.getKey(), entry.getValue(), gap);
      back |= fate == ServerFate.BACK;
      if (fate == ServerFate.ALIVE || (back && returns == MAX_RETURNS)) {
        throw failure(
            entry.getValue(),
            gap,
            entry.getKey() + " cannot be reached from here, though coordinators have not lost it");
      }
    }
    if (back) {
      returns++;
    }
    return !back;
  }

  /** What an operator took away is gone, and would be again. */
  private void requireGoesOn(MissingBlocksException gap) {
    Optional<SluiceException> ended = shuffle.endedBecause();
    if (ended.isPresent()) {
      throw new SluiceException(ended.get().code(), ended.get().detail(), gap);
    }
  }

  /** For the last attempt there is no difference between lost and out of reach. */
  private ServerFate fate(PlacedServer server, ErrorCode why, MissingBlocksException gap)
      throws InterruptedException {
    try {
      ServerFate told = shuffle.fate(server);
      LOG.warn("{} cannot be reached ({}); coordinators say it is {}", server, why, told);
      return told == ServerFate.ALIVE && lastAttempt ? ServerFate.LOST : told;
    } catch (SluiceException e) {
      throw failure(
          e.code(),
          gap,
          server + " cannot be reached, and whether it is lost is not known: " + e.detail());
    }
  }

  private static SluiceException failure(ErrorCode code, MissingBlocksException gap, String why) {
    return new SluiceException(
        code,
        why
            + ". No map is reported as lost for that; this attempt fails, so that the task runs on"
            + " another node. "
            + gap.detail(),
        gap);
  }
}
