package io.sluice.simulation.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.StateStore;
import io.sluice.coordinator.registry.Term;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What ZooKeeper keeps; writes take effect at once and are confirmed after a while. */
final class MemoryStateStore {
  private static final long LONGEST_WRITE_NANOS = 20_000_000;

  private final EventQueue events;
  private final Dice dice;
  private final Map<ApplicationId, ApplicationRecord> applications = new LinkedHashMap<>();
  private final Map<ServerId, ServerRecord> servers = new LinkedHashMap<>();
  private final Set<ServerId> decommissioned = new LinkedHashSet<>();
  private long term;

  MemoryStateStore(EventQueue events, Dice dice) {
    this.events = events;
    this.dice = dice;
  }

  /** Begins a term; the store of every earlier one fails from now on. */
  Term nextTerm() {
    term++;
    return new Term(
        term, List.copyOf(applications.values()), List.copyOf(servers.values()), decommissioned);
  }

  /** The store as the leader of a term sees it. */
  StateStore ofTerm(long leadersTerm) {
    return new LeadersStore(leadersTerm);
  }

  private CompletionStage<Void> write(long leadersTerm, Runnable change) {
    CompletableFuture<Void> written = new CompletableFuture<>();
    boolean leads = leadersTerm == term;
    if (leads) {
      change.run();
    }
    events.after(
        dice.skewed(1, LONGEST_WRITE_NANOS),
        "state store",
        "writes",
        () -> {
          if (leads) {
            written.complete(null);
          } else {
            written.completeExceptionally(
                new SluiceException(ErrorCode.NOT_LEADER, "term " + leadersTerm + " is over"));
          }
        });
    return written;
  }

  private final class LeadersStore implements StateStore {
    private final long leadersTerm;

    LeadersStore(long leadersTerm) {
      this.leadersTerm = leadersTerm;
    }

    @Override
    public CompletionStage<Term> beginTerm(String leader) {
      throw new UnsupportedOperationException("terms are begun by the simulation");
    }

    @Override
    public CompletionStage<Void> putApplication(ApplicationRecord application) {
      return write(leadersTerm, () -> applications.put(application.id(), application));
    }

    @Override
    public CompletionStage<Void> removeApplication(ApplicationId application) {
      return write(leadersTerm, () -> applications.remove(application));
    }

    @Override
    public CompletionStage<Void> putServer(ServerRecord server) {
      return write(leadersTerm, () -> servers.put(server.address().id(), server));
    }

    @Override
    public CompletionStage<Void> removeServer(ServerId server) {
      return write(leadersTerm, () -> servers.remove(server));
    }

    @Override
    public CompletionStage<Void> putDecommission(ServerId server) {
      return write(leadersTerm, () -> decommissioned.add(server));
    }

    @Override
    public CompletionStage<Void> removeDecommission(ServerId server) {
      return write(leadersTerm, () -> decommissioned.remove(server));
    }
  }
}
