package io.sluice.simulation.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.StateStore;
import io.sluice.coordinator.registry.Term;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * ZooKeeper's state as one coordinator writes it: fenced by the last term that it has begun itself.
 * A write takes effect when it is sent and is answered after a while; one that is sent while
 * ZooKeeper cannot be reached fails, and may have taken effect.
 */
final class TermStore implements StateStore {
  private static final int BEGIN_TRIES = 4;
  private static final long BEGIN_RETRY_NANOS = 1_000_000_000;

  private final SimZooKeeper zooKeeper;
  private final CoordinatorNode node;
  private final StoredState state;
  // The latest that was asked for; whether it succeeds does not matter to the next.
  private CompletionStage<Term> beginning;
  private long ownTerm;

  TermStore(SimZooKeeper zooKeeper, CoordinatorNode node, StoredState state) {
    this.zooKeeper = zooKeeper;
    this.node = node;
    this.state = state;
    this.beginning = CompletableFuture.failedFuture(unavailable());
  }

  @Override
  public CompletionStage<Term> beginTerm(String leader) {
    CompletableFuture<Term> begun = new CompletableFuture<>();
    CompletionStage<Term> before = beginning;
    beginning = begun;
    // One at a time, as in the real store: else one that was given up could come after the next.
    before.whenComplete((term, failure) -> zooKeeper.answer(() -> begin(begun, BEGIN_TRIES)));
    return begun;
  }

  /** As Curator does, in the background: tries again for a while, in whatever session. */
  private void begin(CompletableFuture<Term> begun, int triesLeft) {
    if (!node.process().isAlive()) {
      return;
    }
    if (zooKeeper.reaches(node)) {
      Term term = state.nextTerm();
      ownTerm = term.number();
      zooKeeper.answer(() -> begun.complete(term));
    } else if (triesLeft > 1) {
      zooKeeper.after(BEGIN_RETRY_NANOS, () -> begin(begun, triesLeft - 1));
    } else {
      begun.completeExceptionally(unavailable());
    }
  }

  @Override
  public CompletionStage<Void> confirmTerm() {
    if (zooKeeper.flatters()) {
      return CompletableFuture.completedFuture(null);
    }
    return write(() -> {});
  }

  private CompletionStage<Void> write(Runnable change) {
    CompletableFuture<Void> written = new CompletableFuture<>();
    boolean reaches = zooKeeper.reaches(node);
    boolean leads = ownTerm == state.term();
    if (leads && (reaches || zooKeeper.happensAnyway())) {
      change.run();
    }
    zooKeeper.answer(
        () -> {
          if (!reaches) {
            written.completeExceptionally(unavailable());
          } else if (leads) {
            written.complete(null);
          } else {
            written.completeExceptionally(
                new SluiceException(ErrorCode.NOT_LEADER, "term " + ownTerm + " is over"));
          }
        });
    return written;
  }

  private static SluiceException unavailable() {
    return new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "ZooKeeper is away");
  }

  @Override
  public CompletionStage<Void> putApplication(ApplicationRecord application) {
    return write(() -> state.applications().put(application.id(), application));
  }

  @Override
  public CompletionStage<Void> removeApplication(ApplicationId application) {
    return write(() -> state.applications().remove(application));
  }

  @Override
  public CompletionStage<Void> putServer(ServerRecord server) {
    return write(() -> state.servers().put(server.address().id(), server));
  }

  @Override
  public CompletionStage<Void> removeServer(ServerId server) {
    return write(() -> state.servers().remove(server));
  }

  @Override
  public CompletionStage<Void> putDecommission(ServerId server) {
    return write(() -> state.decommissioned().add(server));
  }

  @Override
  public CompletionStage<Void> removeDecommission(ServerId server) {
    return write(() -> state.decommissioned().remove(server));
  }

  @Override
  public CompletionStage<Void> putDecision(String name, Map<String, String> fields) {
    return write(() -> state.decisions().put(name, Map.copyOf(fields)));
  }

  @Override
  public CompletionStage<Void> removeDecision(String name) {
    return write(() -> state.decisions().remove(name));
  }
}
