package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.Verifier;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.coordinator.admission.Admission;
import io.sluice.coordinator.admission.Holdings;
import io.sluice.coordinator.application.ApplicationView;
import io.sluice.coordinator.application.Applications;
import io.sluice.coordinator.application.ShuffleSpec;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.DirectiveFeed;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerChannel;
import io.sluice.coordinator.membership.ServerHello;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.placement.PlacementStrategy;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.StateStore;
import io.sluice.coordinator.registry.Term;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster during one leader's term. Made when the term begins, from what the store holds;
 * closed when it ends. What is not in the store comes back with the servers' hellos and the
 * drivers' registrations.
 */
public final class Cluster {
  private static final Logger log = LoggerFactory.getLogger(Cluster.class);

  /** For drivers that leave it to the cluster. */
  private static final int DEFAULT_REPLICAS = 1;

  /**
   * Applications that register within this time are told of together: a cluster that starts a
   * hundred a second sends ten messages to each server, and none knows one much later.
   */
  private static final long NEWS_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Scheduler scheduler;
  private final ClusterRules rules;
  private final StateStore store;
  private final Placing placing;
  private final ClusterObserver observer;
  private final long term;
  private final Membership membership;
  private final Decommissions decommissions;
  private final Applications applications;
  private final Exclusions exclusions;
  private final Admission admission;
  private final TermCheck termCheck;
  private final KilledApplications killed;
  private final Holdings holdings;
  private final EventLog events;
  private final UseBook uses = new UseBook();
  private final Set<Watch> watches = new LinkedHashSet<>();
  private @Nullable Cancellable newsDue;
  private boolean closed;

  public Cluster(
      Scheduler scheduler,
      ClusterRules rules,
      Term term,
      StateStore store,
      PlacementStrategy strategy,
      ClusterObserver observer) {
    this.scheduler = scheduler;
    this.rules = rules;
    this.store = store;
    this.observer = observer;
    this.term = term.number();
    this.events = new EventLog(scheduler.clock());
    this.membership =
        new Membership(
            scheduler,
            rules.servers(),
            term,
            new ServerChanges(term.servers(), store, events, new Told()));
    this.placing =
        new Placing(scheduler.clock(), this.term, membership, strategy, observer, events);
    this.admission = new Admission(scheduler, store, term.decisions());
    this.termCheck = new TermCheck(scheduler, store);
    this.killed = new KilledApplications(store, scheduler.clock(), term.decisions());
    this.decommissions = new Decommissions(scheduler, store, membership);
    this.exclusions = new Exclusions(scheduler, store, membership, term.decisions());
    this.applications =
        new Applications(
            scheduler, rules.applications(), term.applications(), this::applicationExpired);
    this.holdings = new Census(applications, membership, uses);
    countServers();
    countApplications();
  }

  public long term() {
    return term;
  }

  public ClusterRules rules() {
    return rules;
  }

  // ---------------------------------------------------------------------------- applications

  /**
   * Registers or renews. The stage completes on the control thread, once the registration would
   * survive this leader.
   *
   * @throws SluiceException what {@link Applications#register} throws, and {@link Admission#admit}
   *     for an application that is new; ACCESS_DENIED for one that an operator ended
   */
  public CompletionStage<Void> register(ApplicationRecord record) {
    killed.requireNot(record.id());
    if (!applications.knows(record.id())) {
      admission.admit(record.user(), holdings);
    }
    ApplicationRecord toPersist = applications.register(record);
    countApplications();
    // Also if it is known already: it may have named its user only now.
    tell(record);
    if (toPersist == null) {
      return CompletableFuture.completedFuture(null);
    }
    log.info("application {} ({}) registered", record.id(), record.engineId());
    events.add(
        ClusterEvent.Kind.APPLICATION,
        record.id().toString(),
        record.engineId() + " of user '" + record.user() + "' registered");
    CompletableFuture<Void> registered = new CompletableFuture<>();
    store
        .putApplication(toPersist)
        .whenComplete(
            (nothing, failure) -> scheduler.execute(() -> persisted(record, registered, failure)));
    return registered;
  }

  /**
   * Tells servers of an application: at once if it is back, or if it is one that has to prove
   * itself there and has no others just before it, else soon and together with others.
   */
  private void tell(ApplicationRecord record) {
    if (record.returned()) {
      membership.feedAll();
    }
    if (newsDue != null) {
      return;
    }
    if (record.verifier() != null) {
      membership.feedAll();
    }
    newsDue =
        scheduler.schedule(
            NEWS_DELAY_NANOS,
            () -> {
              newsDue = null;
              membership.feedAll();
            });
  }

  private void persisted(
      ApplicationRecord record, CompletableFuture<Void> registered, @Nullable Throwable failure) {
    if (failure == null) {
      registered.complete(null);
      return;
    }
    applications.unpersisted(record.id());
    countApplications();
    registered.completeExceptionally(failure);
  }

  /** What an application has to prove itself by; null if it is not known, or need not. */
  public @Nullable Verifier verifier(ApplicationId application) {
    return applications.verifiers().of(application);
  }

  /**
   * @throws SluiceException UNKNOWN_APPLICATION
   */
  public void heartbeat(ApplicationId application) {
    applications.heartbeat(application);
  }

  /** Ends an application; ending an unknown one succeeds. */
  public void unregister(ApplicationId application) {
    if (applications.remove(application)) {
      log.info("application {} ended", application);
      events.add(ClusterEvent.Kind.APPLICATION, application.toString(), "ended");
    }
    endApplication(application, "application " + application + " has ended");
  }

  /**
   * Ends an application on an operator's word, for good: its driver cannot register it again. The
   * stage completes once that would survive this leader.
   *
   * @throws SluiceException UNKNOWN_APPLICATION
   */
  public CompletionStage<Void> kill(ApplicationId application) {
    applications.requireRegistered(application);
    events.add(ClusterEvent.Kind.OPERATOR, application.toString(), "the application is ended");
    CompletionStage<Void> kept = killed.add(application);
    unregister(application);
    return kept;
  }

  private void applicationExpired(ApplicationId application) {
    log.warn("application {} expired: it was silent for too long", application);
    observer.expired();
    events.add(
        ClusterEvent.Kind.APPLICATION, application.toString(), "expired: silent for too long");
    endApplication(application, "application " + application + " has expired");
  }

  private void endApplication(ApplicationId application, String why) {
    membership.directAll(new Directive.RemoveApplication(application));
    watches.removeIf(
        watch -> {
          boolean ends = watch.application().equals(application);
          if (ends) {
            watch.end(new SluiceException(ErrorCode.UNKNOWN_APPLICATION, why));
          }
          return ends;
        });
    logFailure("removal of application " + application, store.removeApplication(application));
    countApplications();
  }

  // -------------------------------------------------------------------------------- shuffles

  /**
   * Completes, on the control thread, once this term has held at some moment after this call.
   * Whatever was made without a write is given to nobody before that. Fails with NOT_LEADER if the
   * term has ended, COORDINATOR_UNAVAILABLE if ZooKeeper cannot say.
   */
  public CompletionStage<Void> stillLeads() {
    return termCheck.holds();
  }

  /**
   * The first placement of a shuffle, made if it is not there. To be issued only when {@link
   * #stillLeads} says so.
   *
   * @param replicas 0 for the cluster's default
   * @throws SluiceException INVALID_ARGUMENT, UNKNOWN_APPLICATION, QUOTA_EXCEEDED, NO_SERVERS,
   *     COORDINATOR_UNAVAILABLE for the first seconds of a term
   */
  public Placement createShuffle(
      ShuffleKey shuffle, int partitions, int replicas, Set<ServerId> excluded) {
    ShuffleSpec spec =
        new ShuffleSpec(shuffle, partitions, replicas == 0 ? DEFAULT_REPLICAS : replicas);
    Placement placement = applications.placement(spec, () -> admitted(spec, excluded));
    countApplications();
    return placement;
  }

  private Placement admitted(ShuffleSpec spec, Set<ServerId> excluded) {
    ApplicationId application = spec.shuffle().application();
    ApplicationView view = applications.view(application);
    String user = view == null ? "" : view.application().user();
    admission.place(application, user, (long) spec.partitions() * spec.replicas(), holdings);
    return placing.place(spec, excluded);
  }

  /** Gives up a shuffle that lies where it was placed. */
  public void removeShuffle(ShuffleKey shuffle) {
    removeShuffle(shuffle, Set.of());
  }

  /**
   * Gives a shuffle up; an unknown one too, since an earlier leader may have placed it.
   *
   * @param later servers that its driver has moved partitions to
   */
  public void removeShuffle(ShuffleKey shuffle, Set<ServerId> later) {
    Placement placement = applications.removeShuffle(shuffle);
    Directive directive = new Directive.RemoveShuffle(shuffle);
    if (placement == null) {
      membership.directAll(directive);
    } else {
      Set<ServerId> servers = new LinkedHashSet<>(later);
      placement.servers().forEach(server -> servers.add(server.id()));
      servers.forEach(server -> membership.direct(server, directive));
    }
    countApplications();
  }

  // --------------------------------------------------------------------------------- servers

  /**
   * Admits a server, or fences it; then the channel has been ended and reports of the session
   * change nothing.
   */
  public ServerSession openSession(ServerHello hello, ServerReport report, ServerChannel channel) {
    ServerId id = hello.address().id();
    Directive.Welcome welcome = new Directive.Welcome(term, rules.reportIntervalMillis());
    DirectiveFeed verifiers =
        hello.wantsVerifiers() ? new VerifierFeed(applications.verifiers()) : DirectiveFeed.NONE;
    DirectiveFeed users =
        hello.wantsUsers() ? new UserFeed(applications.users()) : DirectiveFeed.NONE;
    DirectiveFeed feed = verifiers.then(users).then(new ReturnFeed(applications.returned()));
    if (membership.hello(hello, channel, welcome, feed)) {
      hello.applications().forEach(applications::adopt);
      uses.begin(id);
      uses.take(id, report.uses());
      membership.report(id, channel, report, true);
    }
    return new ServerSession(membership, uses, id, channel);
  }

  public List<ServerView> servers() {
    return membership.views();
  }

  /** Which servers are to become empty. */
  public Decommissions decommissions() {
    return decommissions;
  }

  /** Which servers are to get no new shuffles. */
  public Exclusions exclusions() {
    return exclusions;
  }

  /** Who is let in. */
  public Admission admission() {
    return admission;
  }

  /** What applications and users have. */
  public Holdings holdings() {
    return holdings;
  }

  /** What servers hold of applications. */
  public UseBook uses() {
    return uses;
  }

  /** What happened lately. */
  public EventLog events() {
    return events;
  }

  /** A registered application, or null. */
  public @Nullable ApplicationView application(ApplicationId id) {
    return applications.view(id);
  }

  /** The shuffles of an application that this leader placed. */
  public Map<ShuffleKey, Placement> shuffles(ApplicationId application) {
    return applications.shuffles(application);
  }

  public List<ApplicationView> applications() {
    return applications.views();
  }

  /**
   * Begins a watch, which the caller ends with {@link #unwatch}.
   *
   * @throws SluiceException UNKNOWN_APPLICATION
   */
  public Watch watch(ApplicationId application, Watcher watcher) {
    applications.requireRegistered(application);
    Watch watch = new Watch(application, watcher, membership::views);
    watches.add(watch);
    watch.ready();
    return watch;
  }

  public void unwatch(Watch watch) {
    watches.remove(watch);
  }

  /** Ends the term: timers stop, streams end for this reason. Idempotent. */
  public void close(SluiceException reason) {
    if (closed) {
      return;
    }
    closed = true;
    if (newsDue != null) {
      newsDue.cancel();
    }
    List<Watch> ending = List.copyOf(watches);
    watches.clear();
    ending.forEach(watch -> watch.end(reason));
    termCheck.close(reason);
    decommissions.close(reason);
    membership.close(reason);
    applications.close();
    countServers();
    countApplications();
  }

  private void countServers() {
    observer.countedServers(membership.countByState());
  }

  private void countApplications() {
    observer.countedApplications(applications.size(), applications.shuffles());
  }

  static void logFailure(String what, CompletionStage<Void> write) {
    // The data is gone from servers either way; a record left behind expires under the next leader.
    write.whenComplete(
        (nothing, failure) -> {
          if (failure != null) {
            log.warn("{} was not persisted", what, failure);
          }
        });
  }

  /** Who is told of what becomes of servers. */
  private final class Told implements ServerChanges.Listener {
    @Override
    public void changed(ServerView server) {
      watches.forEach(watch -> watch.changed(server));
      decommissions.changed(server);
      countServers();
    }

    @Override
    public void lost(ServerId server) {
      uses.begin(server);
    }

    @Override
    public void forgotten() {
      watches.forEach(Watch::invalidate);
      countServers();
    }
  }
}
