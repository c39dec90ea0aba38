package io.sluice.client.control;

import io.sluice.common.config.HostPort;
import java.util.List;

/** Which coordinator to ask: the one that answered last or was named as leader, else the next. */
final class LeaderGuess {
  private final List<HostPort> configured;
  private HostPort current;

  LeaderGuess(List<HostPort> configured) {
    this.configured = configured;
    this.current = configured.get(0);
  }

  HostPort current() {
    return current;
  }

  /** Someone answered that another one leads. */
  void leaderIs(HostPort named) {
    current = named;
  }

  /** One did not answer, or knows no leader; a failure of an earlier guess changes nothing. */
  void failed(HostPort coordinator) {
    if (coordinator.equals(current)) {
      // -1 for a named leader outside the list: then from the first.
      current = configured.get((configured.indexOf(coordinator) + 1) % configured.size());
    }
  }

  /** How many there are to try before waiting makes sense. */
  int count() {
    return configured.size();
  }
}
