package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.id.ShuffleKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.util.RpcUtils;

/**
 * The driver's end of Spark's own RPC for task processes that cannot reach a server: says what
 * coordinators make of it, and where it is now.
 */
public final class ProspectsEndpoint extends AnsweringEndpoint<PlacedServer> {
  private static final String NAME = "SluiceProspects";

  private final ServerBook servers;

  private ProspectsEndpoint(RpcEnv rpcEnv, ServerBook servers) {
    super(rpcEnv, PlacedServer.class);
    this.servers = servers;
  }

  /** Makes the driver listen, until the returned reference is stopped or its RPC ends. */
  public static RpcEndpointRef listen(RpcEnv rpcEnv, ServerBook servers) {
    return rpcEnv.setupEndpoint(NAME, new ProspectsEndpoint(rpcEnv, servers));
  }

  /**
   * The driver as tasks reach it, from executors and in its own process alike. Answers come within
   * Spark's time for RPC.
   *
   * @param placements what else it is asked for
   */
  public static PlacementSource connect(SparkConf conf, RpcEnv rpcEnv, PlacementSource placements) {
    return new Driver(placements, RpcUtils.makeDriverRef(NAME, conf, rpcEnv));
  }

  @Override
  CompletionStage<Whereabouts> answer(PlacedServer server) {
    return CompletableFuture.completedFuture(servers.whereabouts(server));
  }

  private static final class Driver implements PlacementSource {
    private final PlacementSource placements;
    private final RpcEndpointRef endpoint;

    Driver(PlacementSource placements, RpcEndpointRef endpoint) {
      this.placements = placements;
      this.endpoint = endpoint;
    }

    @Override
    public CompletionStage<ShufflePlacement> atLeast(
        ShuffleKey shuffle, int epochs, List<Complaint> complaints) {
      return placements.atLeast(shuffle, epochs, complaints);
    }

    @Override
    public boolean hearsOfServers() {
      return true;
    }

    @Override
    public CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
      return ask(endpoint, server, Whereabouts.class);
    }
  }
}
