package org.apache.spark.shuffle.sluice.driver;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.MapOutputTrackerMasterEndpoint;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.storage.BlockManagerId;

/** A driver's real tracker of map outputs, of one shuffle of two partitions, and its RPC. */
final class MapOutputs implements AutoCloseable {
  static final int SHUFFLE = 0;
  static final int PARTITIONS = 2;

  final SparkConf conf = new SparkConf(false);
  final RpcEnv rpc = RpcPair.driver(conf);
  final MapOutputTrackerMaster tracker = new MapOutputTrackerMaster(conf, null, true);

  private final int maps;

  MapOutputs(int maps) {
    this.maps = maps;
    tracker.trackerEndpoint_$eq(
        rpc.setupEndpoint("tracker", new MapOutputTrackerMasterEndpoint(rpc, tracker, conf)));
    tracker.registerShuffle(SHUFFLE, maps, PARTITIONS);
  }

  /** A map has won, with a few bytes in each partition. */
  void register(int map, long attempt, BlockManagerId location) {
    tracker.registerMapOutput(
        SHUFFLE, map, MapStatus$.MODULE$.apply(location, new long[] {5, 5}, attempt));
  }

  /** The maps that Spark knows a winner of. */
  List<Integer> registered() {
    Object[] statuses =
        tracker.shuffleStatuses().apply(SHUFFLE).withMapStatuses(all -> all.clone());
    return IntStream.range(0, maps)
        .filter(map -> statuses[map] != null)
        .boxed()
        .collect(Collectors.toList());
  }

  @Override
  public void close() {
    tracker.stop();
    rpc.shutdown();
    rpc.awaitTermination();
  }
}
