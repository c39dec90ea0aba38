package org.apache.spark.shuffle.sluice.driver;

import java.io.Serializable;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.ThreadSafeRpcEndpoint;
import scala.PartialFunction;
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
