package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.PlacedServer;
import io.sluice.client.epoch.ServerBook;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.util.RpcUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver's end of Spark's own RPC for readers that miss map outputs: has them unregistered, all
 * at once, and then answers, so that the fetch failure that follows makes Spark recompute them all
 * in one attempt. Spark's scheduler may not have got to it by then; it hears of that failure later.
 *
 * <p>What lies with servers that coordinators hear, and that have lost nothing, is not lost: there
 * is no way from that reader to there, and another process may have one. So nothing is unregistered
 * then, unless the reader's task cannot be run again.
 *
 * <p>A reader may have met a server that was killed and is back before the driver has heard of it:
 * it waits for the news, some seconds at most, or there would be two steps and two attempts.
 *
 * <p>While a server that came back is asked what it has of the shuffle, readers wait for the answer
 * too: it makes more maps run again, and all of them should be known before the first reader fails.
 * So it is while such a server is asked once more, since the reader did not get what it has by its
 * own account.
 */
public final class MissingMapsEndpoint extends AnsweringEndpoint<MissingMaps> {
  private static final Logger LOG = LoggerFactory.getLogger(MissingMapsEndpoint.class);
  private static final String NAME = "SluiceMissingMaps";

  /** What the driver knows of what was lost with servers. */
  public interface Losses {
    /** What {@link MissingMaps#arrival} of a report is that comes now. Any thread may call this. */
    long arrival();

    /**
     * Runs a task when the driver has heard of these lives of servers, and dealt with what was lost
     * before them, or has waited for that for some seconds. Any thread may call this.
     */
    void whenKnown(List<PlacedServer> lives, Runnable task);

    /**
     * Runs a task when nobody is asked any more what is left of a shuffle. Any thread may call
     * this; the task, {@link #lost} with it, runs on the one that deals with losses.
     */
    void whenSettled(int shuffleId, Runnable task);

    /**
     * Hears, on that thread, of outputs that servers do not deliver; they are still registered if
     * nobody else has reported them. Unregisters what is lost as well then, at once or when {@link
     * #whenSettled} says so. Does not throw.
     */
    void lost(MissingMaps missing);
  }

  private final RegisteredOutputs outputs;
  private final LiveShuffles shuffles;
  private final ServerBook servers;
  private final Losses losses;

  private MissingMapsEndpoint(
      RpcEnv rpcEnv,
      RegisteredOutputs outputs,
      LiveShuffles shuffles,
      ServerBook servers,
      Losses losses) {
    super(rpcEnv, MissingMaps.class);
    this.outputs = outputs;
    this.shuffles = shuffles;
    this.servers = servers;
    this.losses = losses;
  }

  /** Makes the driver listen, until the returned reference is stopped or its RPC ends. */
  public static RpcEndpointRef listen(
      RpcEnv rpcEnv,
      RegisteredOutputs outputs,
      LiveShuffles shuffles,
      ServerBook servers,
      Losses losses) {
    return rpcEnv.setupEndpoint(
        NAME, new MissingMapsEndpoint(rpcEnv, outputs, shuffles, servers, losses));
  }

  /** The driver's endpoint as tasks reach it, from executors and in the driver's process alike. */
  public static MissingMaps.Listener connect(SparkConf conf, RpcEnv rpcEnv) {
    RpcEndpointRef driver = RpcUtils.makeDriverRef(NAME, conf, rpcEnv);
    return missing -> askSync(driver, missing, Boolean.class);
  }

  @Override
  CompletionStage<Boolean> answer(MissingMaps missing) {
    MissingMaps received = missing.withArrival(losses.arrival());
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    losses.whenKnown(
        missing.laterLives(),
        () -> losses.whenSettled(missing.shuffleId(), () -> decide(received, answer)));
    return answer;
  }

  /** Gives the answer when what finding it has begun is done. */
  private void decide(MissingMaps missing, CompletableFuture<Boolean> answer) {
    Runnable send;
    try {
      boolean lost = areLost(missing);
      send = () -> answer.complete(lost);
    } catch (Exception e) { // Scala throws checked SparkExceptions undeclared.
      send = () -> answer.completeExceptionally(e);
    }
    losses.whenSettled(missing.shuffleId(), send);
  }

  private boolean areLost(MissingMaps missing) {
    if (!missing.forGood() && isOutOfReach(missing)) {
      LOG.warn("A reader cannot reach servers that are there; its task runs again: {}", missing);
      return false;
    }
    LOG.warn("Map outputs are missing and will be recomputed: {}", missing);
    // First the epoch: maps may be started again the moment they are unregistered.
    shuffles.leave(missing.shuffleId(), missing.complaints());
    if (!missing.delivered()) {
      losses.lost(missing);
    }
    forget(missing);
    return true;
  }

  /** What others have reported before is not registered any more. */
  private void forget(MissingMaps missing) {
    Optional<MapStatus[]> statuses = outputs.of(missing.shuffleId());
    if (statuses.isPresent()) {
      outputs.forget(missing.shuffleId(), RegisteredOutput.of(missing.maps(), statuses.get()));
    }
  }

  private boolean isOutOfReach(MissingMaps missing) {
    return !missing.complaints().isEmpty()
        && missing.complaints().stream().allMatch(it -> servers.isThere(it.server()));
  }
}
