package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import java.util.concurrent.CompletionStage;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.shuffle.sluice.handle.ReusedShuffle;
import org.apache.spark.util.RpcUtils;

/**
 * The driver's end of Spark's own RPC for tasks of a shuffle that had been removed when they were
 * sent: has it placed again, and says where. One call for each task of the stage that uses such a
 * shuffle again, and none for those of later stages.
 */
public final class ReusedShufflesEndpoint extends AnsweringEndpoint<ReusedShuffle> {
  private static final String NAME = "SluiceReusedShuffles";

  private final ReusedShuffles shuffles;

  private ReusedShufflesEndpoint(RpcEnv rpcEnv, ReusedShuffles shuffles) {
    super(rpcEnv, ReusedShuffle.class);
    this.shuffles = shuffles;
  }

  /** Makes the driver listen, until the returned reference is stopped or its RPC ends. */
  public static RpcEndpointRef listen(RpcEnv rpcEnv, ReusedShuffles shuffles) {
    return rpcEnv.setupEndpoint(NAME, new ReusedShufflesEndpoint(rpcEnv, shuffles));
  }

  /** The driver as tasks reach it, from executors and in its own process alike. */
  public static ReusedShuffle.Places connect(SparkConf conf, RpcEnv rpcEnv) {
    RpcEndpointRef driver = RpcUtils.makeDriverRef(NAME, conf, rpcEnv);
    return shuffle -> ask(driver, shuffle, FixedPlacement.class);
  }

  @Override
  CompletionStage<FixedPlacement> answer(ReusedShuffle shuffle) {
    return shuffles.place(shuffle.shuffleId());
  }
}
