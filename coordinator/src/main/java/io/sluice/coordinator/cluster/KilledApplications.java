package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.registry.StateStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applications that operators ended. Their drivers would register again with the next heartbeat, so
 * it is kept which they were, over terms, for a day or until {@value #LIMIT} others have followed.
 */
final class KilledApplications {
  private static final Logger log = LoggerFactory.getLogger(KilledApplications.class);
  private static final String PREFIX = "killed/";
  static final int LIMIT = 1_000;
  static final long KEPT_MILLIS = TimeUnit.DAYS.toMillis(1);

  private final StateStore store;
  private final Clock clock;
  private final Map<ApplicationId, Long> since = new LinkedHashMap<>();

  KilledApplications(StateStore store, Clock clock, Map<String, Map<String, String>> decisions) {
    this.store = store;
    this.clock = clock;
    decisions.forEach(this::restore);
  }

  private void restore(String name, Map<String, String> fields) {
    if (!name.startsWith(PREFIX)) {
      return;
    }
    try {
      long at = Long.parseLong(fields.getOrDefault("at", "0"));
      if (clock.wallTimeMillis() - at < KEPT_MILLIS) {
        since.put(new ApplicationId(UUID.fromString(name.substring(PREFIX.length()))), at);
        return;
      }
    } catch (IllegalArgumentException e) {
      log.error("the decision {} cannot be read and is removed", name, e);
    }
    forget(name);
  }

  /** Keeps that an application is not to come back. */
  CompletionStage<Void> add(ApplicationId application) {
    long now = clock.wallTimeMillis();
    if (since.size() >= LIMIT) {
      ApplicationId oldest = since.keySet().iterator().next();
      since.remove(oldest);
      forget(PREFIX + oldest);
    }
    since.put(application, now);
    return store.putDecision(PREFIX + application, Map.of("at", Long.toString(now)));
  }

  /**
   * @throws SluiceException ACCESS_DENIED if it was killed
   */
  void requireNot(ApplicationId application) {
    if (since.containsKey(application)) {
      throw new SluiceException(
          ErrorCode.ACCESS_DENIED, "application " + application + " was ended by an operator");
    }
  }

  private void forget(String name) {
    store
        .removeDecision(name)
        .whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                log.warn("{} stays in the store until a later term", name, failure);
              }
            });
  }
}
