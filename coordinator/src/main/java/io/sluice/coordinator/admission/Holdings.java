package io.sluice.coordinator.admission;

import io.sluice.common.id.ApplicationId;

/** What applications and users have now. */
public interface Holdings {
  Held application(ApplicationId application);

  /** Of all registered applications of a user. */
  Held user(String user);

  /** Share of the capacity of servers that take data that is in use, in [0, 1]; 0 if unknown. */
  double load();

  /**
   * Whether all servers that take data have said what they hold. A new leader's have not; those
   * that stay silent take no data after the suspect interval, and are not waited for.
   */
  boolean isComplete();
}
