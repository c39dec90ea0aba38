package io.sluice.coordinator.membership;

import io.sluice.common.id.ApplicationId;
import java.util.List;

/**
 * What a server says of itself, again and again.
 *
 * @param uses what has changed in what applications hold there since the session began
 */
public record ServerReport(ServerLoad load, Intent intent, List<Use> uses) {
  public ServerReport {
    uses = List.copyOf(uses);
  }

  /** Nothing has changed in what applications hold. */
  public ServerReport(ServerLoad load, Intent intent) {
    this(load, intent, List.of());
  }

  /** What one application holds there now; zeros if nothing. */
  public record Use(ApplicationId application, long bytes, long partitions) {}

  ServerReport withoutUses() {
    return uses.isEmpty() ? this : new ServerReport(load, intent);
  }

  /** What the server is about. */
  public enum Intent {
    /** Serves. */
    SERVE,
    /** Was told to drain, and takes nothing new from here on. */
    DRAIN,
    /** Stops, and will be back with everything, as far as it can. */
    STOP,
    /** Stops, and not all that it acknowledged is on its disks: the last report. */
    STOP_WITH_LOSS
  }

  static final ServerReport NONE = new ServerReport(ServerLoad.UNKNOWN, Intent.SERVE);

  boolean stops() {
    return intent == Intent.STOP || intent == Intent.STOP_WITH_LOSS;
  }

  /** Whether it holds nothing and will not take anything. */
  boolean drained() {
    return intent == Intent.DRAIN && load.traffic().partitions() == 0;
  }
}
