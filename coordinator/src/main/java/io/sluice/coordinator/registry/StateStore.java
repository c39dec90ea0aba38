package io.sluice.coordinator.registry;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * The persistent state of the cluster. Only the leader writes. Once another leader has begun its
 * term, every write of an earlier one fails with NOT_LEADER and changes nothing.
 *
 * <p>Thread-safe. No call blocks; writes take effect in the order of the calls. Stages complete on
 * a thread of the store's, and fail with a {@link io.sluice.common.error.SluiceException}:
 * COORDINATOR_UNAVAILABLE when the store cannot be reached or has too much to do, in which case the
 * write may or may not have happened.
 */
public interface StateStore {
  /**
   * Begins a term and loads everything. The first one draws the cluster's id.
   *
   * @param leader host:port under which followers and clients find the new leader
   */
  CompletionStage<Term> beginTerm(String leader);

  /**
   * Writes nothing, and completes if no other leader had begun a term at some moment after this
   * call; fails with NOT_LEADER if one had. Does not wait for writes before it.
   */
  CompletionStage<Void> confirmTerm();

  /** Creates or replaces. */
  CompletionStage<Void> putApplication(ApplicationRecord application);

  /** Removing what is not there succeeds. */
  CompletionStage<Void> removeApplication(ApplicationId application);

  /** Creates or replaces. */
  CompletionStage<Void> putServer(ServerRecord server);

  /** Removing what is not there succeeds. */
  CompletionStage<Void> removeServer(ServerId server);

  /** Keeps that a server is to become empty; kept even when the server itself is forgotten. */
  CompletionStage<Void> putDecommission(ServerId server);

  /** Removing what is not there succeeds. */
  CompletionStage<Void> removeDecommission(ServerId server);

  /**
   * Keeps what operators decided, as named fields; creates or replaces.
   *
   * @param name such as {@code quota/user:ada}
   */
  CompletionStage<Void> putDecision(String name, Map<String, String> fields);

  /** Removing what is not there succeeds. */
  CompletionStage<Void> removeDecision(String name);
}
