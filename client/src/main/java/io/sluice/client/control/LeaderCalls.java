package io.sluice.client.control;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.sluice.client.ClientSecurity;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls to whoever leads. Calls may begin on any thread; the rest is on the scheduler's. */
final class LeaderCalls implements AutoCloseable {
  /** On top of a call's deadline, for the last attempt to be reported. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final CoordinatorClientConfig config;
  private final Scheduler scheduler;
  private final Channels channels;
  private final LeaderGuess guess;
  private final CompletableFuture<Object> closing = new CompletableFuture<>();

  /**
   * @param security whose calls these are
   */
  LeaderCalls(CoordinatorClientConfig config, Scheduler scheduler, ClientSecurity security) {
    this.config = config;
    this.scheduler = scheduler;
    this.guess = new LeaderGuess(config.coordinators());
    this.channels = new Channels(scheduler, security); // Last, for it starts an event loop.
  }

  CoordinatorClientConfig config() {
    return config;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  LeaderGuess guess() {
    return guess;
  }

  /**
   * A call that is safe to repeat. The stage completes on the scheduler's thread, with the answer
   * or a SluiceException: what the leader refused with, or COORDINATOR_UNAVAILABLE.
   */
  <Q, R> CompletionStage<R> call(MethodDescriptor<Q, R> method, Q request, long deadlineNanos) {
    return call(method, request, deadlineNanos, Backoff.patient(), false);
  }

  private <Q, R> CompletionStage<R> call(
      MethodDescriptor<Q, R> method,
      Q request,
      long deadlineNanos,
      Backoff backoff,
      boolean awaited) {
    LeaderCall<Q, R> call =
        new LeaderCall<>(
            this, method, request, scheduler.clock().nanoTime() + deadlineNanos, backoff, awaited);
    scheduler.execute(call::attempt);
    return call.result();
  }

  /**
   * The same, waiting for the answer. Not on the scheduler's thread.
   *
   * @param nanos until the call gives up; a first attempt has begun then, even if it is not above 0
   * @throws SluiceException also CANCELLED if the thread was interrupted, which it stays
   */
  <Q, R> R callAndWait(MethodDescriptor<Q, R> method, Q request, long nanos) {
    return await(callAwaited(method, request, nanos), nanos);
  }

  /** As {@link #call}, for somebody who is about to {@link #await} it. */
  <Q, R> CompletionStage<R> callAwaited(MethodDescriptor<Q, R> method, Q request, long nanos) {
    return call(method, request, nanos, Backoff.eager(), true);
  }

  <R> R await(CompletionStage<R> stage, long nanos) {
    CompletableFuture<R> answer = stage.toCompletableFuture();
    try {
      CompletableFuture.anyOf(answer, closing).get(nanos + GRACE_NANOS, TimeUnit.NANOSECONDS);
      return answer.getNow(null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(
          ErrorCode.CANCELLED, "interrupted while waiting for the coordinator", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException) {
        SluiceException cause = (SluiceException) e.getCause();
        throw new SluiceException(cause.code(), cause.detail(), cause);
      }
      throw new SluiceException(ErrorCode.INTERNAL_ERROR, "control call failed", e.getCause());
    } catch (TimeoutException e) {
      throw new SluiceException(
          ErrorCode.COORDINATOR_UNAVAILABLE,
          "no answer from " + config.coordinators() + " in time",
          e);
    }
  }

  boolean isClosed() {
    return closing.isDone();
  }

  /** One attempt at one coordinator; on the scheduler's thread. */
  <Q, R> ClientCall<Q, R> begin(
      HostPort coordinator, MethodDescriptor<Q, R> method, CallOptions options) {
    if (isClosed()) {
      throw new SluiceException(ErrorCode.SHUTTING_DOWN, "the client is closed");
    }
    return channels.channel(coordinator).newCall(method, options);
  }

  /** Learns from a failure where to go next. */
  void learn(HostPort failed, Throwable failure) {
    Optional<HostPort> leader = ControlFailures.leader(failure);
    if (leader.isPresent() && !leader.get().equals(failed)) {
      guess.leaderIs(leader.get());
    } else {
      guess.failed(failed);
    }
  }

  /** Fails what waits, cancels what is under way. */
  @Override
  public void close() {
    closing.completeExceptionally(
        new SluiceException(ErrorCode.SHUTTING_DOWN, "the client is closed"));
    scheduler.execute(channels::close);
  }
}
