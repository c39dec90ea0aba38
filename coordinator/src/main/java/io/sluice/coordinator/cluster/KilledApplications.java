package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.registry.Kept;
import io.sluice.coordinator.registry.StateStore;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
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

  private final Scheduler scheduler;
  private final StateStore store;
  // The oldest first; wall-clock milliseconds.
  private final Map<ApplicationId, Long> since = new LinkedHashMap<>();

  KilledApplications(
      Scheduler scheduler, StateStore store, Map<String, Map<String, String>> decisions) {
    this.scheduler = scheduler;
    this.store = store;
    // By time, and by name where that is the same.
    SortedMap<Long, SortedMap<String, ApplicationId>> byAge = new TreeMap<>();
    decisions.forEach(
        (name, fields) -> {
          if (name.startsWith(PREFIX)) {
            restore(name, fields, byAge);
          }
        });
    byAge.forEach((at, killed) -> killed.values().forEach(id -> since.put(id, at)));
    prune();
  }

  private void restore(
      String name,
      Map<String, String> fields,
      SortedMap<Long, SortedMap<String, ApplicationId>> into) {
    try {
      long at = Long.parseLong(fields.getOrDefault("at", "0"));
      ApplicationId id = new ApplicationId(UUID.fromString(name.substring(PREFIX.length())));
      into.computeIfAbsent(at, any -> new TreeMap<>()).put(name, id);
    } catch (IllegalArgumentException e) {
      // Perhaps of a later version.
      log.error("the decision {} cannot be read and is not in force", name, e);
    }
  }

  /**
   * Keeps that an application is not to come back. In force once the stage, which completes on the
   * control thread, is done; if it fails nothing has changed.
   */
  CompletionStage<Void> add(ApplicationId application) {
    long now = scheduler.clock().wallTimeMillis();
    return Kept.then(
        scheduler,
        store.putDecision(PREFIX + application, Map.of("at", Long.toString(now))),
        () -> {
          since.remove(application);
          since.put(application, now);
          prune();
        });
  }

  /**
   * @throws SluiceException ACCESS_DENIED if it was killed
   */
  void requireNot(ApplicationId application) {
    prune();
    if (since.containsKey(application)) {
      throw new SluiceException(
          ErrorCode.ACCESS_DENIED, "application " + application + " was ended by an operator");
    }
  }

  /** Whether it was killed, and that is not forgotten. */
  boolean includes(ApplicationId application) {
    return since.containsKey(application);
  }

  /** Forgets the oldest: those that were killed long ago, and those beyond the limit. */
  private void prune() {
    long now = scheduler.clock().wallTimeMillis();
    Iterator<Map.Entry<ApplicationId, Long>> oldest = since.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<ApplicationId, Long> killed = oldest.next();
      if (since.size() <= LIMIT && now - killed.getValue() < KEPT_MILLIS) {
        return;
      }
      oldest.remove();
      forget(PREFIX + killed.getKey());
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
