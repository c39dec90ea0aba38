package io.sluice.coordinator.leadership;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.StateStore;
import io.sluice.coordinator.registry.Term;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A store that says so when it refuses a write because somebody else has begun a later term. */
final class FenceWatch implements StateStore {
  private final StateStore store;
  private final Runnable onFenced;

  /**
   * @param onFenced called for each refused write, on the store's threads
   */
  FenceWatch(StateStore store, Runnable onFenced) {
    this.store = store;
    this.onFenced = onFenced;
  }

  private <T> CompletionStage<T> watched(CompletionStage<T> write) {
    return write.whenComplete(
        (result, failure) -> {
          Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
          if (cause instanceof SluiceException refused && refused.code() == ErrorCode.NOT_LEADER) {
            onFenced.run();
          }
        });
  }

  @Override
  public CompletionStage<Term> beginTerm(String leader) {
    return store.beginTerm(leader);
  }

  @Override
  public CompletionStage<Void> confirmTerm() {
    return watched(store.confirmTerm());
  }

  @Override
  public CompletionStage<Void> putApplication(ApplicationRecord application) {
    return watched(store.putApplication(application));
  }

  @Override
  public CompletionStage<Void> removeApplication(ApplicationId application) {
    return watched(store.removeApplication(application));
  }

  @Override
  public CompletionStage<Void> putServer(ServerRecord server) {
    return watched(store.putServer(server));
  }

  @Override
  public CompletionStage<Void> removeServer(ServerId server) {
    return watched(store.removeServer(server));
  }

  @Override
  public CompletionStage<Void> putDecommission(ServerId server) {
    return watched(store.putDecommission(server));
  }

  @Override
  public CompletionStage<Void> removeDecommission(ServerId server) {
    return watched(store.removeDecommission(server));
  }

  @Override
  public CompletionStage<Void> putDecision(String name, Map<String, String> fields) {
    return watched(store.putDecision(name, fields));
  }

  @Override
  public CompletionStage<Void> removeDecision(String name) {
    return watched(store.removeDecision(name));
  }
}
