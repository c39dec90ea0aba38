package io.sluice.coordinator.application;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.Verifier;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ApplicationRecord;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All applications of one term.
 *
 * <p>An application lives by its lease, which registration and heartbeats renew. One that is only
 * known from a server's hello (the registry was lost, or the server was away when it ended) gets
 * one lease in which its driver may register it again; so neither a lost registry nor a returning
 * server costs a running job its data, and nothing stays for ever.
 */
public final class Applications {
  /** ZooKeeper lists the children of a node in one message of at most 1 MB: 25,000 UUIDs. */
  static final int MAX_APPLICATIONS = 20_000;

  /** Shuffles that an application tells of; a heartbeat names no more. */
  public static final int MAX_TOLD_BY_ONE = 10_000;

  /** Ended ones that are remembered: a process of theirs may not have heard of it yet. */
  private static final int MAX_ENDED = 10_000;

  /** Lateness of a timer that counts as a stall of our own; the lease then begins anew. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Scheduler scheduler;
  private final LeaseTerms lease;
  private final Consumer<ApplicationId> onExpiry;
  private final Map<ApplicationId, Application> applications = new LinkedHashMap<>();
  private final Set<ApplicationId> ended = new LinkedHashSet<>();
  private final Claims claims = new Claims();
  private final ShuffleBudget budget = new ShuffleBudget();

  /**
   * @param known of earlier terms; each gets a whole lease from now on
   * @param onExpiry told after an application has ended for its silence
   */
  public Applications(
      Scheduler scheduler,
      LeaseTerms lease,
      List<ApplicationRecord> known,
      Consumer<ApplicationId> onExpiry) {
    this.scheduler = scheduler;
    this.lease = lease;
    this.onExpiry = onExpiry;
    for (ApplicationRecord record : known) {
      add(new Application(record.id(), record, now()));
      claims.known(record);
    }
  }

  /**
   * Makes an application known, or renews it.
   *
   * @return what is to be persisted, or null if that is persisted already
   * @throws SluiceException QUOTA_EXCEEDED if there are too many; AUTHENTICATION_FAILED if it came
   *     with another verifier before; UNKNOWN_APPLICATION if it has ended and says that it is back
   */
  public @Nullable ApplicationRecord register(ApplicationRecord record) {
    if (record.returned() && ended.contains(record.id())) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_APPLICATION, "application " + record.id() + " has ended");
    }
    claims.requireSameSecret(record);
    Application application = applications.get(record.id());
    if (application == null) {
      if (applications.size() >= MAX_APPLICATIONS) {
        throw new SluiceException(
            ErrorCode.QUOTA_EXCEEDED, "there are " + MAX_APPLICATIONS + " applications already");
      }
      application = new Application(record.id(), null, now());
      add(application);
    }
    return claims.register(application, record, now());
  }

  /**
   * Takes a registration back that could not be persisted. A new one that has shuffles stays.
   *
   * @param before what is persisted; null if nothing is
   */
  public void unpersisted(ApplicationId id, @Nullable ApplicationRecord before) {
    Application application = applications.get(id);
    if (application == null) {
      return;
    }
    if (before != null) {
      claims.restore(application, before);
    } else if (application.shuffles().isEmpty()) {
      drop(application);
    }
  }

  /** A server holds data of this application. */
  public void adopt(ApplicationId id) {
    if (!applications.containsKey(id) && applications.size() < MAX_APPLICATIONS) {
      add(new Application(id, null, now()));
    }
  }

  /**
   * @throws SluiceException UNKNOWN_APPLICATION if it has to register again
   */
  public void heartbeat(ApplicationId id) {
    registered(id).hear(now());
  }

  /**
   * What an application registered as.
   *
   * @throws SluiceException UNKNOWN_APPLICATION
   */
  public ApplicationRecord requireRegistered(ApplicationId id) {
    return Objects.requireNonNull(registered(id).registration());
  }

  /**
   * The placement of a shuffle; made if there is none.
   *
   * @throws SluiceException UNKNOWN_APPLICATION; INVALID_ARGUMENT if the shuffle exists with other
   *     numbers; QUOTA_EXCEEDED; or what {@code place} throws, in which case nothing is remembered
   */
  public Placement placement(ShuffleSpec spec, Supplier<Placement> place) {
    Application application = registered(spec.shuffle().application());
    application.hear(now());
    Placement existing = application.shuffles().get(spec.shuffle());
    if (existing != null) {
      if (existing.partitions() != spec.partitions() || existing.replicas() != spec.replicas()) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "shuffle "
                + spec.shuffle()
                + " exists with "
                + existing.partitions()
                + " partitions x "
                + existing.replicas()
                + " replicas");
      }
      return existing;
    }
    budget.requireRoom(application, spec);
    Placement placement = place.get();
    budget.place(application, spec.shuffle(), placement);
    return placement;
  }

  /** Forgets a shuffle. Returns its placement, or null if it is not known (any more). */
  public @Nullable Placement removeShuffle(ShuffleKey shuffle) {
    Application application = applications.get(shuffle.application());
    return application == null ? null : budget.remove(application, shuffle);
  }

  /** Ends an application; returns whether it was known. */
  public boolean remove(ApplicationId id) {
    ended.add(id);
    if (ended.size() > MAX_ENDED) {
      ended.remove(ended.iterator().next());
    }
    Application application = applications.get(id);
    if (application == null) {
      return false;
    }
    drop(application);
    return true;
  }

  /** Whether an application was ended in this term, and not long ago. */
  public boolean hasEnded(ApplicationId id) {
    return ended.contains(id);
  }

  /** Whether an application is known, be it only from the servers that hold its data. */
  public boolean knows(ApplicationId id) {
    return applications.containsKey(id);
  }

  /** One registered application, or null. */
  public @Nullable ApplicationView view(ApplicationId id) {
    Application application = applications.get(id);
    return application == null ? null : viewOf(application).findFirst().orElse(null);
  }

  /** The shuffles that this leader placed for an application; empty if it is not known. */
  public Map<ShuffleKey, Placement> shuffles(ApplicationId id) {
    Application application = applications.get(id);
    return application == null ? Map.of() : Map.copyOf(application.shuffles());
  }

  /** Replicas that any of these has; 0 without shuffles. */
  public int mostReplicas(ApplicationId id) {
    Application application = applications.get(id);
    return application == null
        ? 0
        : application.shuffles().values().stream().mapToInt(Placement::replicas).max().orElse(0);
  }

  /** Copies of partitions in those that its driver says earlier leaders placed. */
  public Map<ShuffleKey, Integer> earlierShuffles(ApplicationId id) {
    Application application = applications.get(id);
    return application == null ? Map.of() : Map.copyOf(application.earlier());
  }

  /**
   * Notes shuffles that an application says it has: those that this leader has not placed, an
   * earlier one did. Beyond {@value #MAX_TOLD_BY_ONE} of this application, or as many of all
   * together as fit a leader's heap, they are not noted.
   *
   * @param copies of partitions, by shuffle
   */
  public void tell(ApplicationId id, Map<ShuffleKey, Integer> copies) {
    Application application = registered(id);
    copies.forEach((shuffle, count) -> budget.tell(application, shuffle, count));
  }

  /** Copies of partitions of an application: what this leader placed, and what it was told of. */
  public long copies(ApplicationId id) {
    Application application = applications.get(id);
    return application == null ? 0 : application.copies();
  }

  /** Registered applications. */
  public List<ApplicationView> views() {
    return applications.values().stream().flatMap(Applications::viewOf).toList();
  }

  private static Stream<ApplicationView> viewOf(Application application) {
    ApplicationRecord record = application.registration();
    return record == null
        ? Stream.empty()
        : Stream.of(new ApplicationView(record, application.size()));
  }

  /** Whose they are; changes as they come and go. */
  public Declarations<String> users() {
    return claims.users();
  }

  /** What they prove themselves by; changes as they come and go. */
  public Declarations<Verifier> verifiers() {
    return claims.verifiers();
  }

  /** Which were known before and have come back; changes as they do, and as they go. */
  public Declarations<Boolean> returned() {
    return claims.returned();
  }

  /** Known applications, registered or not. */
  public int size() {
    return applications.size();
  }

  public int shuffles() {
    return budget.shuffles();
  }

  /** Ends the term: no lease runs out any more. */
  public void close() {
    applications.values().forEach(Application::stopTimer);
    applications.clear();
  }

  private Application registered(ApplicationId id) {
    Application application = applications.get(id);
    if (application == null || application.registration() == null) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_APPLICATION, "application " + id + " is not registered");
    }
    return application;
  }

  private long now() {
    return scheduler.clock().nanoTime();
  }

  private void add(Application application) {
    applications.put(application.id(), application);
    judge(application);
  }

  private void drop(Application application) {
    application.stopTimer();
    applications.remove(application.id());
    claims.forget(application.id());
    budget.drop(application);
  }

  private LeaseTerms terms(Application application) {
    ApplicationRecord registration = application.registration();
    return registration == null ? lease : lease.atLeast(registration.leaseMillis());
  }

  private void judge(Application application) {
    long left = terms(application).expiryNanos() - (now() - application.lastHeardNanos());
    if (left <= 0) {
      drop(application);
      onExpiry.accept(application.id());
      return;
    }
    long due = now() + left;
    application.restartTimer(
        scheduler.schedule(
            left,
            () -> {
              if (now() - due > STALL_NANOS) {
                application.hear(now());
              }
              judge(application);
            }));
  }
}
