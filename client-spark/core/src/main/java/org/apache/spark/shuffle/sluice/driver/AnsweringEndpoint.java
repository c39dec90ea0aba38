package org.apache.spark.shuffle.sluice.driver;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.Serializable;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.ThreadSafeRpcEndpoint;
import org.apache.spark.util.ThreadUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.PartialFunction;
import scala.concurrent.Future;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;
import scala.util.Try;

/**
 * An endpoint of Spark's own RPC that answers one type of message. What answering throws is sent to
 * whoever asked. Either is sent as {@link AnswerBytes}.
 */
abstract class AnsweringEndpoint<T extends Serializable> implements ThreadSafeRpcEndpoint {
  private static final Logger LOG = LoggerFactory.getLogger(AnsweringEndpoint.class);
  private static final ClassTag<byte[]> BYTES = ClassTag$.MODULE$.apply(byte[].class);

  private final RpcEnv rpcEnv;
  private final Class<T> type;

  AnsweringEndpoint(RpcEnv rpcEnv, Class<T> type) {
    this.rpcEnv = rpcEnv;
    this.type = type;
  }

  /**
   * Gives the answer, which is serialisable, or will. Does not block. What it throws or fails with
   * is the answer then.
   */
  abstract CompletionStage<?> answer(T message);

  /**
   * Asks the driver's end. What it could not answer is a {@link SluiceException}; so is that it
   * does not answer within Spark's time for RPC (TIMED_OUT), or is not there (INTERNAL_ERROR).
   *
   * @param type of the answer
   */
  static <A> CompletableFuture<A> ask(RpcEndpointRef driver, Object message, Class<A> type) {
    CompletableFuture<A> answer = new CompletableFuture<>();
    Future<byte[]> asked = driver.ask(message, BYTES);
    asked.onComplete(result -> complete(answer, result, type), ThreadUtils.sameThread());
    return answer;
  }

  /**
   * The same, waiting for the answer.
   *
   * @throws SluiceException that {@link #ask} ends with; CANCELLED if the thread was interrupted,
   *     which it stays
   */
  static <A> A askSync(RpcEndpointRef driver, Object message, Class<A> type) {
    try {
      return ask(driver, message, type).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(
          ErrorCode.CANCELLED, "interrupted while waiting for the driver's answer", e);
    } catch (ExecutionException e) {
      SluiceException failure = AnswerBytes.asOurs(Objects.requireNonNullElse(e.getCause(), e));
      throw new SluiceException(failure.code(), failure.detail(), failure);
    }
  }

  private static <A> boolean complete(
      CompletableFuture<A> answer, Try<byte[]> result, Class<A> type) {
    if (result.isFailure()) {
      return answer.completeExceptionally(AnswerBytes.asOurs(result.failed().get()));
    }
    try {
      return answer.complete(AnswerBytes.read(result.get(), type));
    } catch (RuntimeException refused) {
      return answer.completeExceptionally(AnswerBytes.asOurs(refused));
    }
  }

  @Override
  public final RpcEnv rpcEnv() {
    return rpcEnv;
  }

  @Override
  public final PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext call) {
    return new AbstractPartialFunction<Object, BoxedUnit>() {
      @Override
      public boolean isDefinedAt(Object message) {
        return type.isInstance(message);
      }

      @Override
      public BoxedUnit apply(Object message) {
        T asked = type.cast(message);
        answerTo(asked)
            .handle(AnsweringEndpoint::bytes)
            .thenAccept(call::reply)
            .exceptionally(failure -> unsent(call, failure));
        return BoxedUnit.UNIT;
      }
    };
  }

  private CompletionStage<?> answerTo(T message) {
    try {
      return answer(message);
    } catch (Exception refused) { // Scala throws checked SparkExceptions undeclared.
      return CompletableFuture.failedFuture(refused);
    }
  }

  private static byte[] bytes(@Nullable Object answer, @Nullable Throwable refused) {
    return answer == null ? AnswerBytes.failed(causeOf(refused)) : AnswerBytes.of(answer);
  }

  /** Of a stage that depends on the one that was refused, as most do. */
  private static Throwable causeOf(@Nullable Throwable refused) {
    Throwable cause = refused instanceof CompletionException ? refused.getCause() : refused;
    return cause == null ? new IllegalStateException("neither an answer nor a reason") : cause;
  }

  private static @Nullable Void unsent(RpcCallContext call, Throwable failure) {
    LOG.error("The driver cannot send an answer", failure);
    call.sendFailure(causeOf(failure));
    return null;
  }
}
