package org.apache.spark.shuffle.sluice.driver;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.Serializable;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.ThreadSafeRpcEndpoint;
import org.apache.spark.util.ThreadUtils;
import scala.PartialFunction;
import scala.concurrent.Future;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * An endpoint of Spark's own RPC that answers one type of message, one at a time and at once. What
 * answering throws is sent to whoever asked.
 */
abstract class AnsweringEndpoint<T extends Serializable> implements ThreadSafeRpcEndpoint {
  private final RpcEnv rpcEnv;
  private final Class<T> type;

  AnsweringEndpoint(RpcEnv rpcEnv, Class<T> type) {
    this.rpcEnv = rpcEnv;
    this.type = type;
  }

  /**
   * Gives the answer, which is serialisable.
   *
   * @throws RuntimeException which is the answer then
   */
  abstract Object answer(T message);

  /**
   * Asks the driver's end; what it could not answer is a {@link SluiceException}.
   *
   * @param type of the answer
   */
  static <A> CompletableFuture<A> ask(RpcEndpointRef driver, Object message, Class<A> type) {
    CompletableFuture<A> answer = new CompletableFuture<>();
    Future<A> asked = driver.ask(message, ClassTag$.MODULE$.apply(type));
    asked.onComplete(
        result ->
            result.isSuccess()
                ? answer.complete(result.get())
                : answer.completeExceptionally(failure(result.failed().get())),
        ThreadUtils.sameThread());
    return answer;
  }

  private static SluiceException failure(Throwable cause) {
    return cause instanceof SluiceException
        ? (SluiceException) cause
        : new SluiceException(
            ErrorCode.INTERNAL_ERROR, "the driver did not answer: " + cause.getMessage(), cause);
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
        reply(call, type.cast(message));
        return BoxedUnit.UNIT;
      }
    };
  }

  private void reply(RpcCallContext call, T message) {
    Object answer;
    try {
      answer = answer(message);
    } catch (RuntimeException refused) {
      call.sendFailure(refused);
      return;
    }
    call.reply(answer);
  }
}
