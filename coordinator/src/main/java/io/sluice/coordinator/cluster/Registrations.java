package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.application.ApplicationView;
import io.sluice.coordinator.application.Applications;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.Kept;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
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

  /** Who has to know. */
  interface Listener {
    /** An application has registered, or renewed that. */
    void registered(ApplicationRecord record);

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
        Kept.logFailure(
            "removal of application " + record.id(),
            context.store().removeApplication(record.id()));
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
    ApplicationRecord toPersist = applications.register(record);
    count();
    // Also if it is known already: it may have named its user only now.
    noteUser(record.id());
    listener.registered(record);
    if (toPersist == null) {
      return CompletableFuture.completedFuture(null);
    }
    log.info("application {} ({}) registered", record.id(), record.engineId());
    note(record.id(), record.engineId() + " of user '" + record.user() + "' registered");
    CompletableFuture<Void> registered = new CompletableFuture<>();
    context
        .store()
        .putApplication(toPersist)
        .whenComplete(
            (nothing, failure) ->
                context.scheduler().execute(() -> persisted(record, registered, failure)));
    return registered;
  }

  private void noteUser(ApplicationId id) {
    ApplicationView view = applications.view(id);
    if (view != null) {
      ledger.registered(id, view.application().user());
    }
  }

  private void persisted(
      ApplicationRecord record, CompletableFuture<Void> registered, @Nullable Throwable failure) {
    if (failure == null) {
      registered.complete(null);
      return;
    }
    applications.unpersisted(record.id());
    if (applications.view(record.id()) == null) {
      ledger.ended(record.id());
    }
    count();
    registered.completeExceptionally(failure);
  }

  void unregister(ApplicationId application) {
    if (applications.remove(application)) {
      log.info("application {} ended", application);
      note(application, "ended");
    }
    end(application, "application " + application + " has ended");
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
  }

  private void end(ApplicationId application, String why) {
    listener.ended(application, why);
    ledger.ended(application);
    Kept.logFailure(
        "removal of application " + application, context.store().removeApplication(application));
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
