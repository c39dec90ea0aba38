package io.sluice.client.control;

import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.RootCause;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.error.OtherProtocol;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its way to the leader: tries coordinator after coordinator, pausing once all have
 * been tried, until one answers or the deadline passes. A leader that lacks something for the
 * moment, such as servers that have yet to register, is asked again until the deadline; then its
 * refusal is the answer. Confined to the scheduler's thread.
 */
final class LeaderCall<Q, R> {
  private static final Logger log = LoggerFactory.getLogger(LeaderCall.class);

  private final LeaderCalls calls;
  private final MethodDescriptor<Q, R> method;
  private final Q request;
  private final long deadline;
  private final CompletableFuture<R> result = new CompletableFuture<>();
  private final Set<HostPort> tried = new LinkedHashSet<>();
  private final Backoff backoff;
  private int failures;
  private final @Nullable WaitingTale tale;

  /**
   * @param deadline on the scheduler's clock
   * @param backoff between rounds over all coordinators
   * @param awaited whether somebody stands still until it is answered, and is told why in the log
   */
  LeaderCall(
      LeaderCalls calls,
      MethodDescriptor<Q, R> method,
      Q request,
      long deadline,
      Backoff backoff,
      boolean awaited) {
    this.calls = calls;
    this.method = method;
    this.request = request;
    this.deadline = deadline;
    this.backoff = backoff;
    this.tale = awaited ? new WaitingTale(calls.scheduler().clock().nanoTime()) : null;
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
    SluiceException reason = reason(refusal, failure);
    if (remaining() > delay) {
      if (delay > 0) {
        tellOfWaiting(reason);
      }
      calls.scheduler().schedule(delay, this::attempt);
    } else {
      result.completeExceptionally(reason);
    }
  }

  /** Who wonders why a job stands still finds it in the log, and not only at the deadline. */
  private void tellOfWaiting(SluiceException reason) {
    WaitingTale waiting = tale;
    if (waiting != null && waiting.isDue(reason, calls.scheduler().clock().nanoTime())) {
      log.warn(
          "{} waits, for up to {} s more: {}",
          method.getBareMethodName(),
          TimeUnit.NANOSECONDS.toSeconds(remaining()),
          reason.detail());
    }
  }

  /** What is in the way: a word about the call itself, or that nobody can say one. */
  private SluiceException reason(Optional<SluiceException> refusal, Throwable last) {
    return refusal
        .filter(ControlFailures::isAnAnswer)
        .orElseGet(
            () ->
                new SluiceException(
                    ErrorCode.COORDINATOR_UNAVAILABLE,
                    (refusal.isPresent() ? "no coordinator leads" : "no coordinator answered")
                        + "; tried "
                        + tried
                        + ", last: "
                        + OtherProtocol.told(last)
                            .orElseGet(
                                () -> RootCause.behind(String.valueOf(last.getMessage()), last)),
                    last));
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
