package io.sluice.cli.cluster;

import java.util.Optional;

/**
 * What one coordinator says when it is asked itself, and nobody else for it.
 *
 * @param address host:port under which it was asked
 * @param trouble why there is nothing more to know of it; empty if it answers
 * @param version of its software; empty if it is too old to say
 * @param leader whom it calls the leader, host:port; empty if it knows none
 * @param leads whether that is itself
 * @param clock its wall clock; empty if it is too old to say
 */
public record CoordinatorWord(
    String address,
    String trouble,
    String version,
    String leader,
    boolean leads,
    Optional<ClockReading> clock) {
  static CoordinatorWord silent(String address, String trouble) {
    return new CoordinatorWord(address, trouble, "", "", false, Optional.empty());
  }
}
