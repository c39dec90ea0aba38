package io.sluice.coordinator.grpc;

import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Answers calls of one request and one response: with a value, or with a coded error. */
final class UnaryCall {
  private UnaryCall() {}

  @SuppressWarnings("CatchingUnchecked") // The edge of a call: whatever goes wrong, it is answered.
  static <T> void answer(StreamObserver<T> caller, Supplier<T> work) {
    T response;
    try {
      response = work.get();
    } catch (RuntimeException e) {
      caller.onError(ControlErrors.toStatus(e));
      return;
    }
    caller.onNext(response);
    caller.onCompleted();
  }

  /** The same for work that ends later, on the control thread. */
  static <T> void answerLater(StreamObserver<T> caller, Supplier<CompletionStage<T>> work) {
    CompletionStage<T> stage;
    try {
      stage = work.get();
    } catch (RuntimeException e) {
      caller.onError(ControlErrors.toStatus(e));
      return;
    }
    stage.whenComplete(
        (response, failure) -> {
          if (failure != null) {
            caller.onError(ControlErrors.toStatus(failure));
          } else {
            caller.onNext(response);
            caller.onCompleted();
          }
        });
  }
}
