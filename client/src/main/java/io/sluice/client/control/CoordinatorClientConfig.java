package io.sluice.client.control;

import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import java.util.List;

/** Where coordinators are and how long to try. Immutable. */
public final class CoordinatorClientConfig {
  private static final Duration CALL_DEADLINE = Duration.ofSeconds(30);
  private static final Duration ATTEMPT_DEADLINE = Duration.ofSeconds(5);

  private final List<HostPort> coordinators;
  private final Duration callDeadline;
  private final Duration attemptDeadline;

  /**
   * @param callDeadline after which a call gives up, all coordinators having been tried
   * @param attemptDeadline after which one coordinator is left for the next
   * @throws SluiceException INVALID_CONFIGURATION if no coordinator is named or a deadline is not
   *     above zero
   */
  public CoordinatorClientConfig(
      List<HostPort> coordinators, Duration callDeadline, Duration attemptDeadline) {
    require(!coordinators.isEmpty(), "no coordinator is named");
    require(isPositive(callDeadline) && isPositive(attemptDeadline), "a deadline is not above 0");
    this.coordinators = List.copyOf(coordinators);
    this.callDeadline = callDeadline;
    this.attemptDeadline = attemptDeadline;
  }

  /** 30 seconds a call, 5 seconds an attempt. */
  public static CoordinatorClientConfig of(List<HostPort> coordinators) {
    return new CoordinatorClientConfig(coordinators, CALL_DEADLINE, ATTEMPT_DEADLINE);
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isNegative() && !duration.isZero();
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, otherwise);
    }
  }

  public List<HostPort> coordinators() {
    return coordinators;
  }

  public Duration callDeadline() {
    return callDeadline;
  }

  public Duration attemptDeadline() {
    return attemptDeadline;
  }
}
