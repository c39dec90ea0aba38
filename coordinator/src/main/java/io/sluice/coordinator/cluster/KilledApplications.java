package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.registry.Kept;
import io.sluice.coordinator.registry.StateStore;
import java.time.Instant;
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
  private static final int BY_MAX = 256;

  private final Scheduler scheduler;
  private final StateStore store;
  // The oldest first.
  private final Map<ApplicationId, End> ends = new LinkedHashMap<>();

  /**
   * One end.
   *
   * @param at wall-clock milliseconds
   * @param by who wanted it; empty of those that were ended before that was kept
   */
  private record End(long at, String by) {
    Map<String, String> fields() {
      return Map.of("at", Long.toString(at), "by", by);
    }
  }

  KilledApplications(
      Scheduler scheduler, StateStore store, Map<String, Map<String, String>> decisions) {
    this.scheduler = scheduler;
    this.store = store;
    // By time, and by name where that is the same.
    SortedMap<Long, SortedMap<String, Restored>> byAge = new TreeMap<>();
    decisions.forEach(
        (name, fields) -> {
          if (name.startsWith(PREFIX)) {
            restore(name, fields, byAge);
          }
        });
    byAge.values().forEach(same -> same.values().forEach(one -> ends.put(one.id(), one.end())));
    prune();
  }

  private record Restored(ApplicationId id, End end) {}

  private void restore(
      String name, Map<String, String> fields, SortedMap<Long, SortedMap<String, Restored>> into) {
    try {
      long at = Long.parseLong(fields.getOrDefault("at", "0"));
      ApplicationId id = new ApplicationId(UUID.fromString(name.substring(PREFIX.length())));
      End end = new End(at, fields.getOrDefault("by", ""));
      into.computeIfAbsent(at, any -> new TreeMap<>()).put(name, new Restored(id, end));
    } catch (IllegalArgumentException e) {
      // Perhaps of a later version.
      log.error("the decision {} cannot be read and is not in force", name, e);
    }
  }

  /**
   * Keeps that an application is not to come back. In force once the stage, which completes on the
   * control thread, is done; if it fails nothing has changed.
   *
   * @param by who wants that; no more than {@value #BY_MAX} letters of it are kept
   */
  CompletionStage<Void> add(ApplicationId application, String by) {
    End end =
        new End(scheduler.clock().wallTimeMillis(), by.substring(0, Math.min(by.length(), BY_MAX)));
    return Kept.then(
        scheduler,
        store.putDecision(PREFIX + application, end.fields()),
        () -> {
          ends.remove(application);
          ends.put(application, end);
          prune();
        });
  }

  /**
   * @throws SluiceException APPLICATION_ENDED if it was killed
   */
  void requireNot(ApplicationId application) {
    prune();
    End end = ends.get(application);
    if (end != null) {
      throw new SluiceException(
          ErrorCode.APPLICATION_ENDED,
          "application "
              + application
              + " was ended by an operator"
              + (end.by().isEmpty() ? "" : " (" + end.by() + ")")
              + " at "
              + Instant.ofEpochMilli(end.at()));
    }
  }

  /** Whether it was killed, and that is not forgotten. */
  boolean includes(ApplicationId application) {
    return ends.containsKey(application);
  }

  /** Forgets the oldest: those that were killed long ago, and those beyond the limit. */
  private void prune() {
    long now = scheduler.clock().wallTimeMillis();
    Iterator<Map.Entry<ApplicationId, End>> oldest = ends.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<ApplicationId, End> killed = oldest.next();
      if (ends.size() <= LIMIT && now - killed.getValue().at() < KEPT_MILLIS) {
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
