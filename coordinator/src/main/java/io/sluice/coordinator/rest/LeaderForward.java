package io.sluice.coordinator.rest;

import io.sluice.http.Answer;
import java.util.concurrent.CompletionStage;

/** Passes calls on to the leader. Thread-safe. */
public interface LeaderForward extends AutoCloseable {
  /**
   * @param leader host:port of its gRPC
   * @return fails with COORDINATOR_UNAVAILABLE if it does not answer, or does not lead
   */
  CompletionStage<Answer> forward(String leader, Call call);

  @Override
  void close();
}
