package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.placement.PlacementSource;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.ThreadSafeRpcEndpoint;
import org.apache.spark.shuffle.sluice.handle.EpochRequest;
import org.apache.spark.util.RpcUtils;
import org.apache.spark.util.ThreadUtils;
import scala.PartialFunction;
import scala.concurrent.Future;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * The driver's end of Spark's own RPC for task processes that need a newer placement. Messages come
 * one at a time and are answered at once.
 */
public final class EpochsEndpoint implements ThreadSafeRpcEndpoint {
  private static final String NAME = "SluiceEpochs";

  private final RpcEnv rpcEnv;
  private final LiveShuffles shuffles;

  private EpochsEndpoint(RpcEnv rpcEnv, LiveShuffles shuffles) {
    this.rpcEnv = rpcEnv;
    this.shuffles = shuffles;
  }

  /** Makes the driver listen, until the returned reference is stopped or its RPC ends. */
  public static RpcEndpointRef listen(RpcEnv rpcEnv, LiveShuffles shuffles) {
    return rpcEnv.setupEndpoint(NAME, new EpochsEndpoint(rpcEnv, shuffles));
  }

  /**
   * The driver as tasks reach it, from executors and in its own process alike. Answers come within
   * Spark's time for RPC.
   */
  public static PlacementSource connect(SparkConf conf, RpcEnv rpcEnv) {
    RpcEndpointRef driver = RpcUtils.makeDriverRef(NAME, conf, rpcEnv);
    ClassTag<FixedPlacement> type = ClassTag$.MODULE$.apply(FixedPlacement.class);
    return (shuffle, epochs, complaints) ->
        answer(
            driver.ask(
                new EpochRequest(shuffle.shuffleId(), shuffle.generation(), epochs, complaints),
                type));
  }

  private static CompletableFuture<ShufflePlacement> answer(Future<FixedPlacement> asked) {
    CompletableFuture<ShufflePlacement> answer = new CompletableFuture<>();
    asked.onComplete(
        result -> {
          if (result.isSuccess()) {
            return answer.complete(result.get());
          }
          return answer.completeExceptionally(failure(result.failed().get()));
        },
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
  public RpcEnv rpcEnv() {
    return rpcEnv;
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext call) {
    return new AbstractPartialFunction<Object, BoxedUnit>() {
      @Override
      public boolean isDefinedAt(Object message) {
        return message instanceof EpochRequest;
      }

      @Override
      public BoxedUnit apply(Object message) {
        answer(call, (EpochRequest) message);
        return BoxedUnit.UNIT;
      }
    };
  }

  private void answer(RpcCallContext call, EpochRequest request) {
    FixedPlacement placement;
    try {
      placement = shuffles.atLeast(request);
    } catch (RuntimeException refused) {
      call.sendFailure(refused);
      return;
    }
    call.reply(placement);
  }
}
