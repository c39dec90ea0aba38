package io.sluice.server.credit;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.TransportLimits;
import java.util.Optional;

/**
 * The fixed numbers of credit.
 *
 * @param seedBytes credit every connection starts with, in multiples of 4 KiB
 * @param maxConnections connections that have a seed waiting for them
 * @param maxBlockBytes largest stored length of a block
 * @param maxConnectionBytes a connection that holds so much credit gets no more
 * @param wantTimeoutNanos a WANT that waits longer is refused once nothing was granted for so long
 * @param idleNanos after so long without a push, credit above the seed is asked back
 */
public record CreditLimits(
    long seedBytes,
    int maxConnections,
    int maxBlockBytes,
    long maxConnectionBytes,
    long wantTimeoutNanos,
    long idleNanos) {
  private static final int HEADROOM_FRACTION = 32;

  /** What the largest block costs: the least that a WANT is granted, if it asks for so much. */
  public long maxCharge() {
    return TransportLimits.charge(maxBlockBytes);
  }

  /**
   * What is kept for applications that have had less than their share of memory: a thirty-second of
   * it, but enough for the largest block and never more than leaves room for one beside it.
   */
  public long headroomBytes(long arenaBytes) {
    long most = arenaBytes - reserveBytes() - maxCharge();
    long usual = Math.max(maxCharge(), arenaBytes / HEADROOM_FRACTION);
    return Math.min(usual, most) / TransportLimits.CREDIT_UNIT * TransportLimits.CREDIT_UNIT;
  }

  /**
   * For how long a client may sit on credit that it is asked for: a third of what others wait, so
   * that they get some of it before they are refused.
   */
  public long reclaimNanos() {
    return wantTimeoutNanos / 3;
  }

  /** All seeds together, in bytes. */
  public long reserveBytes() {
    return seedBytes * maxConnections;
  }

  /**
   * Checks the sums against the arena.
   *
   * @throws SluiceException INVALID_CONFIGURATION if {@link #problem} finds one
   */
  public void check(long arenaBytes) {
    if (seedBytes % TransportLimits.CREDIT_UNIT != 0) {
      throw invalid("the seed of " + seedBytes + " bytes is not a multiple of 4 KiB");
    }
    problem(arenaBytes)
        .ifPresent(
            why -> {
              throw invalid(why);
            });
  }

  /**
   * What is wrong with the sums, for people: the seeds take more than half of the arena, or what is
   * left could not hold two of the largest blocks.
   */
  public Optional<String> problem(long arenaBytes) {
    if (!seedsFit(arenaBytes)) {
      return Optional.of(
          "seeds of "
              + seedBytes
              + " bytes for "
              + maxConnections
              + " connections take "
              + reserveBytes()
              + " bytes, more than half of the arena of "
              + arenaBytes
              + ": raise server.memory, or lower server.connections.seed or"
              + " server.connections.max");
    }
    if (!blocksFit(arenaBytes)) {
      return Optional.of(
          "the arena of "
              + arenaBytes
              + " bytes less the seeds cannot hold two blocks of "
              + maxBlockBytes
              + " bytes: raise server.memory, or lower server.block.max");
    }
    return Optional.empty();
  }

  /** Whether an arena is large enough. */
  public boolean fits(long arenaBytes) {
    return seedsFit(arenaBytes) && blocksFit(arenaBytes);
  }

  private boolean seedsFit(long arenaBytes) {
    return reserveBytes() <= arenaBytes / 2;
  }

  private boolean blocksFit(long arenaBytes) {
    return arenaBytes - reserveBytes() >= 2 * maxCharge();
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_CONFIGURATION, message);
  }
}
