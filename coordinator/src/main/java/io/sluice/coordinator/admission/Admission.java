package io.sluice.coordinator.admission;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.registry.Kept;
import io.sluice.coordinator.registry.StateStore;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets applications and shuffles in, or says why not. Only what is new is asked about: an
 * application that is in stays in when a limit becomes smaller, and so do its shuffles.
 *
 * <p>Limits are exact for what this leader placed and registered, and drivers told it that earlier
 * ones did. Bytes are what servers last reported, so a shuffle admitted below the limit may take
 * its user beyond it; the next one is refused. What a server holds is bounded at once by the
 * server's own quotas.
 */
public final class Admission {
  private static final Logger log = LoggerFactory.getLogger(Admission.class);
  private static final String GATE = "gate";
  private static final String QUOTA = "quota/";

  /** Quotas in all; a term loads them one by one. */
  public static final int QUOTAS_MAX = 5_000;

  private final Scheduler scheduler;
  private final StateStore store;
  private final NavigableMap<String, Quota> quotas = new TreeMap<>();
  private Gate gate = Gate.OPEN;

  /**
   * @param decisions of operators as the store has them; others than ours are ignored
   */
  public Admission(
      Scheduler scheduler, StateStore store, Map<String, Map<String, String>> decisions) {
    this.scheduler = scheduler;
    this.store = store;
    decisions.forEach(this::restore);
  }

  private void restore(String name, Map<String, String> fields) {
    try {
      if (name.equals(GATE)) {
        gate = Gate.of(fields);
      } else if (name.startsWith(QUOTA)) {
        Subject subject = Subject.parse(name.substring(QUOTA.length()));
        quotas.put(subject.toString(), Quota.of(fields));
      }
    } catch (IllegalArgumentException | SluiceException e) {
      // A leader that refuses to lead for that would be worse.
      log.error("the decision {} cannot be read and is not in force", name, e);
    }
  }

  // ------------------------------------------------------------------------------- decisions

  public Gate gate() {
    return gate;
  }

  /** Of subjects as text, in their order. */
  public NavigableMap<String, Quota> quotas() {
    return Collections.unmodifiableNavigableMap(quotas);
  }

  /** In force once the stage, which completes on the control thread, is done. */
  public CompletionStage<Void> open(Gate next) {
    return keep(store.putDecision(GATE, next.fields()), () -> gate = next);
  }

  /**
   * As {@link #open}.
   *
   * @throws SluiceException QUOTA_EXCEEDED if there are too many
   */
  public CompletionStage<Void> limit(Subject subject, Quota quota) {
    String key = subject.toString();
    if (!quotas.containsKey(key) && quotas.size() >= QUOTAS_MAX) {
      throw new SluiceException(
          ErrorCode.QUOTA_EXCEEDED, "there are " + QUOTAS_MAX + " quotas already");
    }
    return keep(store.putDecision(QUOTA + key, quota.fields()), () -> quotas.put(key, quota));
  }

  /** Takes a quota back, one that is not there too. */
  public CompletionStage<Void> unlimit(Subject subject) {
    String key = subject.toString();
    return keep(store.removeDecision(QUOTA + key), () -> quotas.remove(key));
  }

  private CompletionStage<Void> keep(CompletionStage<Void> write, Runnable effect) {
    return Kept.then(scheduler, write, effect);
  }

  // ------------------------------------------------------------------------------- judgement

  /**
   * A new application wants in.
   *
   * @throws SluiceException ACCESS_DENIED by a list, QUOTA_EXCEEDED, CLUSTER_FULL;
   *     COORDINATOR_UNAVAILABLE if that depends on the load and the leader is too new to know it
   */
  public void admit(String user, Holdings holdings) {
    String refusal = gate.refusal(user);
    if (!refusal.isEmpty()) {
      throw new SluiceException(ErrorCode.ACCESS_DENIED, "user '" + user + "' " + refusal);
    }
    Quota quota = quota(Subject.user(user));
    if (quota.applications() != Quota.UNLIMITED) {
      long running = holdings.user(user).applications();
      if (running >= quota.applications()) {
        throw exceeded("user '" + user + "' runs " + running, quota.applications(), "applications");
      }
    }
    if (gate.loadMax() < 1) {
      requireComplete(holdings, "how full the cluster is");
    }
    if (gate.loadMax() < 1 && holdings.load() > gate.loadMax()) {
      throw new SluiceException(
          ErrorCode.CLUSTER_FULL,
          String.format(
              Locale.ROOT,
              "the cluster's capacity is used to %.0f %%, and new applications are let in up to"
                  + " %.0f %%",
              holdings.load() * 100,
              gate.loadMax() * 100));
    }
  }

  /**
   * An application wants a new shuffle.
   *
   * @param copies partitions times replicas
   * @throws SluiceException QUOTA_EXCEEDED; COORDINATOR_UNAVAILABLE if that depends on bytes and
   *     the leader is too new to know them
   */
  public void place(ApplicationId application, String user, long copies, Holdings holdings) {
    Quota own = quota(new Subject(Subject.Kind.APPLICATION, application.toString()));
    Quota users = quota(Subject.user(user));
    if (own.bytes() != Quota.UNLIMITED || users.bytes() != Quota.UNLIMITED) {
      requireComplete(holdings, "what applications hold");
    }
    if (!own.equals(Quota.NONE)) {
      require("application " + application, own, copies, holdings.application(application));
    }
    if (!users.equals(Quota.NONE)) {
      require("user '" + user + "'", users, copies, holdings.user(user));
    }
  }

  private static void requireComplete(Holdings holdings, String what) {
    if (!holdings.isComplete()) {
      throw new SluiceException(
          ErrorCode.COORDINATOR_UNAVAILABLE,
          "a new leader has not heard from all servers yet, and so does not know " + what);
    }
  }

  private static void require(String who, Quota quota, long copies, Held held) {
    if (held.bytes() >= quota.bytes()) {
      throw exceeded(who + " holds " + held.bytes(), quota.bytes(), "bytes");
    }
    if (copies > quota.partitions() - held.partitions()) {
      throw exceeded(
          who + " has " + held.partitions() + " and wants " + copies,
          quota.partitions(),
          "partitions (each replica counts)");
    }
  }

  private static SluiceException exceeded(String has, long limit, String unit) {
    return new SluiceException(
        ErrorCode.QUOTA_EXCEEDED, has + ", allowed in this cluster are " + limit + " " + unit);
  }

  private Quota quota(Subject subject) {
    Quota own = quotas.get(subject.toString());
    return own != null
        ? own
        : quotas.getOrDefault(Subject.each(subject.kind()).toString(), Quota.NONE);
  }
}
