package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.client.placement.PlacementSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.shuffle.sluice.handle.EpochRequest;
import org.apache.spark.util.RpcUtils;

/** The driver's end of Spark's own RPC for task processes that need a newer placement. */
public final class EpochsEndpoint extends AnsweringEndpoint<EpochRequest> {
  private static final String NAME = "SluiceEpochs";

  private final LiveShuffles shuffles;

  private EpochsEndpoint(RpcEnv rpcEnv, LiveShuffles shuffles) {
    super(rpcEnv, EpochRequest.class);
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
    return (shuffle, epochs, complaints) ->
        ask(
                driver,
                new EpochRequest(shuffle.shuffleId(), shuffle.generation(), epochs, complaints),
                FixedPlacement.class)
            .thenApply(placement -> placement);
  }

  @Override
  CompletionStage<FixedPlacement> answer(EpochRequest request) {
    return CompletableFuture.completedFuture(shuffles.atLeast(request));
  }
}
