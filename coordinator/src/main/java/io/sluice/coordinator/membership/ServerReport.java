package io.sluice.coordinator.membership;

/** What a server says of itself, again and again. */
public record ServerReport(ServerLoad load, Intent intent) {
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
