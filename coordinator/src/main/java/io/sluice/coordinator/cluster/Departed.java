package io.sluice.coordinator.cluster;

import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.coordinator.membership.Membership;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers that are to be drained or excluded and are known no more. An operator drains a server to
 * remove it, and mostly removes it then; what was decided about it would be kept for ever. So it is
 * kept since when the server is gone, over terms, and after {@link ClusterRules#forgetAfterMillis}
 * what was decided is forgotten. One that comes back before is treated as decided, and counts from
 * the beginning when it goes again.
 */
final class Departed {
  private static final Logger log = LoggerFactory.getLogger(Departed.class);
  private static final String PREFIX = "departed/";

  /** Between two looks: what could not be forgotten is tried again, what was undone is dropped. */
  private static final long SHORTEST_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private static final long LONGEST_MILLIS = TimeUnit.DAYS.toMillis(1);

  private final TermContext context;
  private final long keptMillis;
  private final Membership membership;
  private final Decommissions decommissions;
  private final Exclusions exclusions;
  // Wall-clock milliseconds.
  private final Map<ServerId, Long> since = new LinkedHashMap<>();
  private @Nullable Cancellable next;

  Departed(
      TermContext context,
      long keptMillis,
      Membership membership,
      Decommissions decommissions,
      Exclusions exclusions) {
    this.context = context;
    this.keptMillis = keptMillis;
    this.membership = membership;
    this.decommissions = decommissions;
    this.exclusions = exclusions;
  }

  /** A term begins with what earlier ones have noted. */
  void restore(Map<String, Map<String, String>> decisions) {
    decisions.forEach(
        (name, fields) -> {
          if (name.startsWith(PREFIX)) {
            restore(name, fields);
          }
        });
    // Also what was decided before anybody noted since when a server is gone.
    Set<ServerId> decided = new HashSet<>(decommissions.all());
    decided.addAll(exclusions.all());
    decided.forEach(
        server -> {
          if (membership.view(server) == null) {
            gone(server);
          }
        });
    Set.copyOf(since.keySet())
        .forEach(
            server -> {
              if (membership.view(server) != null || !decided.contains(server)) {
                forget(server);
              }
            });
    look();
  }

  private void restore(String name, Map<String, String> fields) {
    try {
      ServerId server = new ServerId(UUID.fromString(name.substring(PREFIX.length())));
      String at = fields.get("at");
      since.put(server, at == null ? now() : Long.parseLong(at));
    } catch (IllegalArgumentException e) {
      log.error("the note {} cannot be read", name, e);
    }
  }

  /** A server is known no more. */
  void gone(ServerId server) {
    if (isDecided(server) && !since.containsKey(server)) {
      long now = now();
      since.put(server, now);
      context
          .wanted()
          .want(
              PREFIX + server,
              "since when server " + server + " is gone",
              () -> context.store().putDecision(PREFIX + server, Map.of("at", Long.toString(now))));
      look();
    }
  }

  /** A server is known. */
  void back(ServerId server) {
    if (since.containsKey(server)) {
      forget(server);
    }
  }

  private boolean isDecided(ServerId server) {
    return decommissions.all().contains(server) || exclusions.all().contains(server);
  }

  private void forget(ServerId server) {
    since.remove(server);
    context
        .wanted()
        .want(
            PREFIX + server,
            "that server " + server + " is not gone, or nothing to anybody",
            () -> context.store().removeDecision(PREFIX + server));
  }

  /** Looks again when the next one is due. */
  private void look() {
    if (next == null && !since.isEmpty()) {
      long due = since.values().stream().mapToLong(Long::longValue).min().orElseThrow();
      long wait = Math.min(LONGEST_MILLIS, Math.max(SHORTEST_MILLIS, due + keptMillis - now()));
      next = context.scheduler().schedule(TimeUnit.MILLISECONDS.toNanos(wait), this::review);
    }
  }

  private void review() {
    next = null;
    for (Map.Entry<ServerId, Long> each : List.copyOf(since.entrySet())) {
      ServerId server = each.getKey();
      if (!isDecided(server)) {
        forget(server);
      } else if (now() - each.getValue() >= keptMillis) {
        forgetDecisions(server);
      }
    }
    look();
  }

  private void forgetDecisions(ServerId server) {
    CompletionStage<Void> drain = decommissions.set(server, false);
    drain
        .thenCombine(exclusions.set(server, false), (one, other) -> server)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                log.warn("what was decided about server {} is not forgotten yet", server, failure);
                return;
              }
              context
                  .events()
                  .add(
                      ClusterEvent.Kind.SERVER,
                      server.toString(),
                      "gone for "
                          + TimeUnit.MILLISECONDS.toDays(keptMillis)
                          + " days: it is not to be drained or excluded any more");
              forget(server);
            });
  }

  private long now() {
    return context.scheduler().clock().wallTimeMillis();
  }

  /** Ends the term. */
  void close() {
    if (next != null) {
      next.cancel();
    }
  }
}
