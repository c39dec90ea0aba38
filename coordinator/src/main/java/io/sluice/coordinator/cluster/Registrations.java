package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.application.ApplicationView;
import io.sluice.coordinator.application.Applications;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.Kept;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applications as they come and go: kept in the store, counted, ended, and told of to others. */
final class Registrations {
  private static final Logger log = LoggerFactory.getLogger(Registrations.class);

  private final TermContext context;
  private final KilledApplications killed;
  private final Ledger ledger;
  private final Listener listener;
  private final Applications applications;
  // What the store has of an application that has registered otherwise since, which is not known to
  // be kept; empty if it has nothing.
  private final Map<ApplicationId, Optional<ApplicationRecord>> before = new HashMap<>();

  /** Who has to know. */
  interface Listener {
    /** An application has registered, or renewed that. */
    void registered(ApplicationRecord record);

    /** A registration was not kept: it counts for nothing. */
    void refused(ApplicationId application);

    /** An application is known no more. */
    void ended(ApplicationId application, String why);
  }

  /**
   * @param known what the store holds of earlier terms
   */
  Registrations(
      TermContext context,
      LeaseTerms lease,
      List<ApplicationRecord> known,
      KilledApplications killed,
      Ledger ledger,
      Listener listener) {
    this.context = context;
    this.killed = killed;
    this.ledger = ledger;
    this.listener = listener;
    List<ApplicationRecord> living = living(known);
    this.applications = new Applications(context.scheduler(), lease, living, this::expired);
    living.forEach(record -> noteUser(record.id()));
    count();
  }

  /**
   * Without applications that were killed: the leader that kept so may have ended before it took
   * them out.
   */
  private List<ApplicationRecord> living(List<ApplicationRecord> known) {
    List<ApplicationRecord> living = new ArrayList<>();
    for (ApplicationRecord record : known) {
      if (killed.includes(record.id())) {
        remove(record.id());
      } else {
        living.add(record);
      }
    }
    return living;
  }

  Applications applications() {
    return applications;
  }

  /**
   * @throws SluiceException as {@link Applications#register}
   */
  CompletionStage<Void> register(ApplicationRecord record) {
    ApplicationView known = applications.view(record.id());
    ApplicationRecord toPersist = applications.register(record);
    count();
    // Also if it is known already: it may have named its user only now.
    noteUser(record.id());
    listener.registered(record);
    if (toPersist == null && !context.wanted().isOpen(record.id())) {
      return CompletableFuture.completedFuture(null);
    }
    before.putIfAbsent(record.id(), Optional.ofNullable(known).map(ApplicationView::application));
    if (toPersist == null) {
      // Registered just before, which is not kept yet.
      return keep(applications.requireRegistered(record.id()), record);
    }
    log.info("application {} ({}) registered", record.id(), record.engineId());
    note(record.id(), record.engineId() + " of user '" + record.user() + "' registered");
    return keep(toPersist, record);
  }

  private CompletionStage<Void> keep(ApplicationRecord toPersist, ApplicationRecord record) {
    return context
        .wanted()
        .want(
            record.id(),
            "the registration of application " + record.id(),
            () -> context.store().putApplication(toPersist))
        .whenComplete(
            (nothing, failure) -> {
              if (!context.wanted().isOpen(record.id())) {
                before.remove(record.id());
              } else if (failure == null) {
                // It has registered otherwise meanwhile; should that be refused, this stays.
                before.computeIfPresent(record.id(), (id, earlier) -> Optional.of(toPersist));
              } else if (context.wanted().hasFailed(record.id())) {
                // Else it has registered again meanwhile, and that is not answered yet.
                refused(record.id());
              }
            });
  }

  private void noteUser(ApplicationId id) {
    ApplicationView view = applications.view(id);
    if (view != null) {
      ledger.registered(id, view.application().user());
    }
  }

  /**
   * What could not be kept: it is as it was before, and so in the store should it have come there
   * all the same. A new one that has shuffles already stays, and the store is to have it.
   */
  private void refused(ApplicationId id) {
    Optional<ApplicationRecord> kept = before.remove(id);
    ApplicationRecord earlier = kept == null ? null : kept.orElse(null);
    applications.unpersisted(id, earlier);
    if (earlier != null) {
      noteUser(id);
      context
          .wanted()
          .want(
              id,
              "the earlier registration of application " + id,
              () -> context.store().putApplication(earlier));
    } else if (applications.view(id) == null) {
      ledger.ended(id);
      listener.refused(id);
      remove(id);
    }
    count();
  }

  /** The stage completes on the control thread once it is kept; if it fails it is tried again. */
  CompletionStage<Void> unregister(ApplicationId application) {
    boolean known = applications.remove(application);
    if (known) {
      log.info("application {} ended", application);
      note(application, "ended");
    }
    end(application, "application " + application + " has ended");
    // Of one that is not known nothing waits to be tried again: there could be any number.
    return known
        ? remove(application)
        : Kept.then(context.scheduler(), context.store().removeApplication(application), () -> {});
  }

  private CompletionStage<Void> remove(ApplicationId application) {
    before.remove(application);
    return context
        .wanted()
        .want(
            application,
            "the end of application " + application,
            () -> context.store().removeApplication(application));
  }

  /**
   * Done already if it was killed before: who has had no answer asks again.
   *
   * @throws SluiceException UNKNOWN_APPLICATION
   */
  CompletionStage<Void> kill(ApplicationId application, String by) {
    if (killed.includes(application)) {
      return CompletableFuture.completedFuture(null);
    }
    applications.requireRegistered(application);
    return killed
        .add(application, by)
        .thenRun(
            () -> {
              context
                  .events()
                  .add(
                      ClusterEvent.Kind.OPERATOR,
                      application.toString(),
                      "the application is ended");
              unregister(application);
            });
  }

  private void expired(ApplicationId application) {
    log.warn("application {} expired: it was silent for too long", application);
    context.observer().expired();
    note(application, "expired: silent for too long");
    end(application, "application " + application + " has expired");
    remove(application);
  }

  private void end(ApplicationId application, String why) {
    listener.ended(application, why);
    ledger.ended(application);
    count();
  }

  private void note(ApplicationId application, String text) {
    context.events().add(ClusterEvent.Kind.APPLICATION, application.toString(), text);
  }

  /** Shows how many there are, and how many shuffles they have. */
  void count() {
    context.observer().countedApplications(applications.size(), applications.shuffles());
  }

  /** Ends the term: no lease runs out any more. */
  void close() {
    applications.close();
    count();
  }
}
