package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.security.Verifier;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.admission.Admission;
import io.sluice.coordinator.admission.Holdings;
import io.sluice.coordinator.application.ApplicationView;
import io.sluice.coordinator.application.Applications;
import io.sluice.coordinator.application.ShuffleSpec;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerChannel;
import io.sluice.coordinator.membership.ServerHello;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.StateStore;
import io.sluice.coordinator.registry.Term;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The cluster during one leader's term. Made when the term begins, from what the store holds;
 * closed when it ends. What is not in the store comes back with the servers' hellos and the
 * drivers' registrations.
 */
public final class Cluster {
  /** For drivers that leave it to the cluster. */
  private static final int DEFAULT_REPLICAS = 1;

  private final ClusterRules rules;
  private final ClusterObserver observer;
  private final long term;
  private final Membership membership;
  private final Decommissions decommissions;
  private final Registrations registrations;
  private final Applications applications;
  private final Exclusions exclusions;
  private final Departed departed;
  private final Admission admission;
  private final TermCheck termCheck;
  private final KilledApplications killed;
  private final Holdings holdings;
  private final EventLog events;
  private final WantedState wanted;
  private final Ledger ledger = new Ledger();
  private final UseBook uses;
  private final Shuffles shuffles;
  private final Sessions sessions;
  private final News news;
  private final Watches watches;
  private boolean closed;

  public Cluster(
      Scheduler scheduler,
      ClusterRules rules,
      Term term,
      StateStore store,
      ClusterObserver observer) {
    this.rules = rules;
    this.observer = observer;
    this.term = term.number();
    this.events = new EventLog(scheduler);
    this.wanted = new WantedState(scheduler);
    this.membership =
        new Membership(
            scheduler,
            rules.servers(),
            term,
            new ServerChanges(term.servers(), store, wanted, events, new Told()));
    this.watches =
        new Watches(
            scheduler,
            new KnownServers(scheduler.clock(), membership.views(), membership::view),
            new ApplicationNeeds());
    this.news = new News(scheduler, membership);
    this.admission = new Admission(scheduler, store, term.decisions());
    this.termCheck = new TermCheck(scheduler, store);
    this.killed = new KilledApplications(scheduler, store, term.decisions());
    TermContext context = new TermContext(scheduler, store, wanted, events, observer);
    this.decommissions = new Decommissions(context, membership, this::serversNeeded);
    this.exclusions = new Exclusions(scheduler, store, membership);
    this.departed =
        new Departed(context, rules.forgetAfterMillis(), membership, decommissions, exclusions);
    exclusions.restore(term.decisions());
    departed.restore(term.decisions());
    this.registrations =
        new Registrations(
            context, rules.applications(), term.applications(), killed, ledger, new Heard());
    this.applications = registrations.applications();
    this.uses = new UseBook(applications::knows, ledger::bytes);
    this.sessions = new Sessions(rules, this.term, membership, applications, uses);
    this.holdings = new Census(ledger, membership);
    Placing placing =
        new Placing(scheduler.clock(), this.term, membership, rules.placement(), observer, events);
    this.shuffles = new Shuffles(applications, admission, holdings, ledger, placing, membership);
    countServers();
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
   *     for an application that is new; APPLICATION_ENDED for one that an operator ended
   */
  public CompletionStage<Void> register(ApplicationRecord record) {
    killed.requireNot(record.id());
    if (!applications.knows(record.id())) {
      admission.admit(record.user(), holdings);
    }
    return registrations.register(record);
  }

  /** What an application has to prove itself by; null if it is not known, or need not. */
  public @Nullable Verifier verifier(ApplicationId application) {
    return applications.verifiers().of(application);
  }

  /**
   * An application lives.
   *
   * @param has shuffles that it says it has, copies of partitions each: so a new leader knows them
   * @throws SluiceException UNKNOWN_APPLICATION
   */
  public void heartbeat(ApplicationId application, Map<ShuffleKey, Integer> has) {
    applications.heartbeat(application);
    if (!has.isEmpty()) {
      shuffles.tell(application, has);
    }
  }

  /** The same of one that says nothing of its shuffles. */
  public void heartbeat(ApplicationId application) {
    heartbeat(application, Map.of());
  }

  /**
   * Ends an application; ending an unknown one succeeds. The stage completes on the control thread
   * once the next leader would not know it either; if it fails, that is tried again.
   */
  public CompletionStage<Void> unregister(ApplicationId application) {
    return registrations.unregister(application);
  }

  /**
   * Ends an application on an operator's word, for good: its driver cannot register it again. The
   * stage completes, on the control thread, once that is kept and done; if it cannot be kept, it
   * fails and the application goes on.
   *
   * @param by who wants that, for those it is done to
   * @throws SluiceException UNKNOWN_APPLICATION
   */
  public CompletionStage<Void> kill(ApplicationId application, String by) {
    return registrations.kill(application, by);
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
   * @throws SluiceException INVALID_ARGUMENT, UNKNOWN_APPLICATION, QUOTA_EXCEEDED, NO_SERVERS;
   *     INVALID_CONFIGURATION if no server has the tags that the application asks for;
   *     COORDINATOR_UNAVAILABLE for the first seconds of a term
   */
  public Placement createShuffle(
      ShuffleKey shuffle, int partitions, int replicas, Set<ServerId> excluded) {
    Placement placement =
        shuffles.create(
            new ShuffleSpec(shuffle, partitions, replicas == 0 ? DEFAULT_REPLICAS : replicas),
            excluded);
    watches.placed(shuffle.application(), placement.servers());
    registrations.count();
    return placement;
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
    shuffles.remove(shuffle, later);
    registrations.count();
  }

  // --------------------------------------------------------------------------------- servers

  /**
   * Admits a server, or fences it; then the channel has been ended and reports of the session
   * change nothing.
   */
  public ServerSession openSession(ServerHello hello, ServerReport report, ServerChannel channel) {
    return sessions.open(hello, report, channel);
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

  /** Those that earlier leaders placed, as its driver says; copies of partitions in each. */
  public Map<ShuffleKey, Integer> earlierShuffles(ApplicationId application) {
    return applications.earlierShuffles(application);
  }

  public List<ApplicationView> applications() {
    return applications.views();
  }

  /**
   * Begins a watch of all servers, which the caller ends with {@link #unwatch}.
   *
   * @throws SluiceException UNKNOWN_APPLICATION
   */
  public Watch watch(ApplicationId application, Watcher watcher) {
    applications.requireRegistered(application);
    return watches.beginAll(application, watcher);
  }

  /**
   * Begins a watch of servers that matter to the application: those that it uses, those that this
   * leader places shuffles of it on, and some others that partitions may go to.
   *
   * @throws SluiceException UNKNOWN_APPLICATION
   */
  public Watch watch(ApplicationId application, Collection<ServerId> used, Watcher watcher) {
    applications.requireRegistered(application);
    return watches.beginOwn(application, watcher, used);
  }

  public void unwatch(Watch watch) {
    watches.end(watch);
  }

  /** Ends the term: timers stop, streams end for this reason. Idempotent. */
  public void close(SluiceException reason) {
    if (closed) {
      return;
    }
    closed = true;
    departed.close();
    wanted.close();
    news.close();
    watches.close(reason);
    termCheck.close(reason);
    decommissions.close(reason);
    membership.close(reason);
    registrations.close();
    events.close();
    countServers();
  }

  private Map<PlacementWishes, Integer> serversNeeded() {
    return shuffles.serversNeeded();
  }

  private void countServers() {
    observer.countedServers(membership.countByState());
  }

  /** Who is told of what becomes of servers. */
  private final class Told implements ServerChanges.Listener {
    @Override
    public void changed(ServerView server) {
      watches.changed(server);
      decommissions.changed(server);
      departed.back(server.address().id());
      countServers();
    }

    @Override
    public void lost(ServerId server) {
      uses.begin(server);
    }

    @Override
    public void forgotten(ServerId server) {
      watches.forgotten(server);
      departed.gone(server);
      countServers();
    }
  }

  /** What applications need of servers. */
  private final class ApplicationNeeds implements Watches.Needs {
    @Override
    public PlacementWishes wishes(ApplicationId application) {
      ApplicationView view = applications.view(application);
      return view == null ? PlacementWishes.NONE : view.application().wishes();
    }

    @Override
    public String zone(PlacementWishes wishes) {
      return wishes.keptIn(rules.placement());
    }

    @Override
    public Collection<Placement> placements(ApplicationId application) {
      return applications.shuffles(application).values();
    }
  }

  /** Who is told of what becomes of applications. */
  private final class Heard implements Registrations.Listener {
    @Override
    public void registered(ApplicationRecord record) {
      news.tell(record);
    }

    @Override
    public void refused(ApplicationId application) {
      watches.end(application, "application " + application + " could not be registered");
    }

    @Override
    public void ended(ApplicationId application, String why) {
      membership.directAll(new Directive.RemoveApplication(application));
      watches.end(application, why);
    }
  }
}
