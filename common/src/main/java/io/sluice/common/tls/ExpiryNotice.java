package io.sluice.common.tls;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Says of the certificate in use that it is about to end: a week before, a day before, and when it
 * has; each once. Not thread-safe.
 */
final class ExpiryNotice {
  private static final long WEEK_MILLIS = Duration.ofDays(7).toMillis();
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

  private long ends;
  private int said;

  /**
   * @param endsMillis when the certificate ends, in milliseconds since 1970
   * @return what to tell people, if there is something new
   */
  Optional<String> due(long endsMillis, long nowMillis) {
    if (endsMillis != ends) {
      ends = endsMillis;
      said = 0;
    }
    int stage = stage(endsMillis - nowMillis);
    if (stage <= said) {
      return Optional.empty();
    }
    said = stage;
    Instant end = Instant.ofEpochMilli(endsMillis);
    return Optional.of(
        stage == 3
            ? "expired on " + end + ": nobody who checks it connects any more"
            : "expires on " + end);
  }

  private static int stage(long leftMillis) {
    if (leftMillis <= 0) {
      return 3;
    }
    return leftMillis <= DAY_MILLIS ? 2 : leftMillis <= WEEK_MILLIS ? 1 : 0;
  }
}
