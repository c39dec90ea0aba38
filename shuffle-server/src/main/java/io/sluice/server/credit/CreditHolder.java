package io.sluice.server.credit;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.memory.MemoryReservation;
import java.util.concurrent.Executor;

/** A connection as the broker sees it. Called on {@link #executor} only. */
public interface CreditHolder {
  /** The connection's event loop; runs tasks even after the connection has closed. */
  Executor executor();

  /** Answers a WANT. The reservation is the holder's from here, or closed by it if it is gone. */
  void granted(MemoryReservation credit);

  /** Answers a WANT that could not be met in time. */
  void refused(ErrorCode code);

  /**
   * Asks the client for credit it may not need.
   *
   * @param urgent WANTs wait for memory; else it is only time to look for idle credit
   */
  void reclaim(boolean urgent);
}
