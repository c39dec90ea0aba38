package io.sluice.coordinator.testing;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.StateStore;
import io.sluice.coordinator.registry.Term;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A store that answers when the test says so, or at once. */
public final class MemoryStateStore implements StateStore {
  private final Map<ApplicationId, ApplicationRecord> applications = new LinkedHashMap<>();
  private final Map<ServerId, ServerRecord> servers = new LinkedHashMap<>();
  private final Set<ServerId> decommissioned = new LinkedHashSet<>();
  private final Map<String, Map<String, String>> decisions = new LinkedHashMap<>();
  private final List<Runnable> held = new ArrayList<>();
  private boolean holding;
  private boolean failing;
  private boolean losingAnswers;
  private boolean fenced;
  private long term;
  private int writes;
  private int confirmations;

  /** Whether answers wait for {@link #release}. */
  public void setHolding(boolean holding) {
    this.holding = holding;
  }

  /** Whether everything fails, as with ZooKeeper away. */
  public void setFailing(boolean failing) {
    this.failing = failing;
  }

  /** Whether writes happen and are answered as if they had not, as when a connection ends. */
  public void setLosingAnswers(boolean losing) {
    this.losingAnswers = losing;
  }

  /** Whether writes fail because another leader has begun its term. */
  public void setFenced(boolean fenced) {
    this.fenced = fenced;
  }

  /** Terms begun so far. */
  public long terms() {
    return term;
  }

  /** Answers the oldest that waits. */
  public void releaseOne() {
    held.remove(0).run();
  }

  public void release() {
    List<Runnable> released = List.copyOf(held);
    held.clear();
    released.forEach(Runnable::run);
  }

  public Map<ApplicationId, ApplicationRecord> applications() {
    return applications;
  }

  public Map<ServerId, ServerRecord> servers() {
    return servers;
  }

  public Set<ServerId> decommissioned() {
    return decommissioned;
  }

  public Map<String, Map<String, String>> decisions() {
    return decisions;
  }

  /** How often anybody asked whether his term holds. */
  public int confirmations() {
    return confirmations;
  }

  public int writes() {
    return writes;
  }

  @Override
  public CompletionStage<Term> beginTerm(String leader) {
    CompletableFuture<Term> result = new CompletableFuture<>();
    Runnable answer =
        () -> {
          if (failing) {
            result.completeExceptionally(unavailable());
          } else {
            term++;
            result.complete(
                new Term(
                    term,
                    List.copyOf(applications.values()),
                    List.copyOf(servers.values()),
                    decommissioned,
                    decisions));
          }
        };
    dispatch(answer);
    return result;
  }

  @Override
  public CompletionStage<Void> confirmTerm() {
    confirmations++;
    CompletableFuture<Void> result = new CompletableFuture<>();
    dispatch(
        () -> {
          if (failing) {
            result.completeExceptionally(unavailable());
          } else if (fenced) {
            result.completeExceptionally(fenced());
          } else {
            result.complete(null);
          }
        });
    return result;
  }

  @Override
  public CompletionStage<Void> putApplication(ApplicationRecord application) {
    return write(() -> applications.put(application.id(), application));
  }

  @Override
  public CompletionStage<Void> removeApplication(ApplicationId application) {
    return write(() -> applications.remove(application));
  }

  @Override
  public CompletionStage<Void> putServer(ServerRecord server) {
    return write(() -> servers.put(server.address().id(), server));
  }

  @Override
  public CompletionStage<Void> removeServer(ServerId server) {
    return write(() -> servers.remove(server));
  }

  @Override
  public CompletionStage<Void> putDecommission(ServerId server) {
    return write(() -> decommissioned.add(server));
  }

  @Override
  public CompletionStage<Void> removeDecommission(ServerId server) {
    return write(() -> decommissioned.remove(server));
  }

  @Override
  public CompletionStage<Void> putDecision(String name, Map<String, String> fields) {
    return write(() -> decisions.put(name, Map.copyOf(fields)));
  }

  @Override
  public CompletionStage<Void> removeDecision(String name) {
    return write(() -> decisions.remove(name));
  }

  private CompletionStage<Void> write(Runnable effect) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    dispatch(
        () -> {
          if (failing) {
            result.completeExceptionally(unavailable());
          } else if (fenced) {
            result.completeExceptionally(fenced());
          } else {
            writes++;
            effect.run();
            if (losingAnswers) {
              result.completeExceptionally(unavailable());
            } else {
              result.complete(null);
            }
          }
        });
    return result;
  }

  private void dispatch(Runnable answer) {
    if (holding) {
      held.add(answer);
    } else {
      answer.run();
    }
  }

  private static SluiceException fenced() {
    return new SluiceException(ErrorCode.NOT_LEADER, "another term has begun");
  }

  private static SluiceException unavailable() {
    return new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "the store is away");
  }
}
