package io.sluice.client.control;

import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way to the leader: tries coordinator after coordinator, pausing once all have
 * been tried, until one answers or the deadline passes. A leader that lacks something for the
 * moment, such as servers that have yet to register, is asked again until the deadline; then its
 * refusal is the answer. Confined to the scheduler's thread.
 */
final class LeaderCall<Q, R> {
  private final LeaderCalls calls;
  private final MethodDescriptor<Q, R> method;
  private final Q request;
  private final long deadline;
  private final CompletableFuture<R> result = new CompletableFuture<>();
  private final Set<HostPort> tried = new LinkedHashSet<>();
  private final Backoff backoff;
  private int failures;

  /**
   * @param deadline on the scheduler's clock
   * @param backoff between rounds over all coordinators
   */
  LeaderCall(
      LeaderCalls calls, MethodDescriptor<Q, R> method, Q request, long deadline, Backoff backoff) {
    this.calls = calls;
    this.method = method;
    this.request = request;
    this.deadline = deadline;
    this.backoff = backoff;
  }

  CompletableFuture<R> result() {
    return result;
  }

  private long remaining() {
    return deadline - calls.scheduler().clock().nanoTime();
  }

  void attempt() {
    HostPort coordinator = calls.guess().current();
    tried.add(coordinator);
    long nanos = Math.max(1, Math.min(remaining(), calls.config().attemptDeadline().toNanos()));
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS);
    try {
      ClientCalls.asyncUnaryCall(
          calls.begin(coordinator, method, options), request, new Answer(coordinator));
    } catch (SluiceException e) {
      result.completeExceptionally(e);
    }
  }

  private void failed(HostPort coordinator, Throwable failure) {
    Optional<SluiceException> refusal = ControlFailures.refusal(failure);
    if (refusal.isPresent() && !ControlFailures.isWorthRetrying(refusal.get())) {
      result.completeExceptionally(refusal.get());
      return;
    }
    long delay;
    if (refusal.filter(ControlFailures::isForTheSameOne).isPresent()) {
      delay = backoff.next();
    } else {
      calls.learn(coordinator, failure);
      failures++;
      // All of them, and a leader that one of them named.
      boolean pause = failures % (calls.guess().count() + 1) == 0;
      delay = pause ? backoff.next() : 0;
    }
    if (remaining() > delay) {
      calls.scheduler().schedule(delay, this::attempt);
    } else {
      result.completeExceptionally(
          refusal.filter(ControlFailures::isAnAnswer).orElseGet(() -> noAnswer(failure)));
    }
  }

  private SluiceException noAnswer(Throwable last) {
    return new SluiceException(
        ErrorCode.COORDINATOR_UNAVAILABLE,
        "no coordinator answered; tried " + tried + ", last: " + last.getMessage(),
        last);
  }

  /** What comes of one attempt. */
  private final class Answer implements StreamObserver<R> {
    private final HostPort coordinator;
    private @Nullable R value;

    Answer(HostPort coordinator) {
      this.coordinator = coordinator;
    }

    @Override
    public void onNext(R answer) {
      value = answer;
    }

    @Override
    public void onError(Throwable failure) {
      failed(coordinator, failure);
    }

    @Override
    public void onCompleted() {
      if (value != null) {
        result.complete(value);
      }
    }
  }
}
