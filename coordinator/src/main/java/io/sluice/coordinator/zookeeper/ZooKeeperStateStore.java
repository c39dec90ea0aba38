package io.sluice.coordinator.zookeeper;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ClusterId;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.StateStore;
import io.sluice.coordinator.registry.Term;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.curator.framework.CuratorFramework;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State in ZooKeeper: one node per application, per server and per decommission, and one for the
 * cluster's id. See {@link FencedNodes}.
 */
final class ZooKeeperStateStore implements StateStore, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ZooKeeperStateStore.class);

  /** Beside the term, not in it: leaders of versions before write that one anew, without the id. */
  private static final String CLUSTER = "/cluster";

  private static final String APPLICATIONS = "/applications";
  private static final String SERVERS = "/servers";
  private static final String DECOMMISSIONS = "/decommissions";
  private static final String DECISIONS = "/decisions";

  /** Writes waiting for ZooKeeper. A restart of 5,000 servers makes as many. */
  private static final int QUEUE = 10_000;

  private final FencedNodes nodes;
  private final ThreadPoolExecutor writer;

  /**
   * @param owned whether nodes are to belong to who is logged in alone
   */
  ZooKeeperStateStore(CuratorFramework client, boolean owned) {
    this.nodes = new FencedNodes(client, owned);
    this.writer =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE),
            task -> {
              Thread thread = new Thread(task, "sluice-zookeeper");
              thread.setDaemon(true);
              return thread;
            });
  }

  @Override
  public CompletionStage<Term> beginTerm(String leader) {
    return submit(
        () ->
            new Term(
                nodes.beginTerm(leader),
                cluster(),
                load(APPLICATIONS, RecordText::readApplication),
                load(SERVERS, RecordText::readServer),
                Set.copyOf(load(DECOMMISSIONS, ZooKeeperStateStore::serverId)),
                decisions()));
  }

  private Optional<ClusterId> cluster() throws Exception {
    ClusterId drawn = new ClusterId(UUID.randomUUID());
    byte[] kept = nodes.getOrCreate(CLUSTER, RecordText.write(drawn));
    try {
      return Optional.of(RecordText.readCluster(kept));
    } catch (IllegalArgumentException e) {
      log.error(
          "node {} is unreadable: servers cannot tell this cluster from others until it is restored",
          CLUSTER,
          e);
      return Optional.empty();
    }
  }

  @Override
  public CompletionStage<Void> confirmTerm() {
    CompletableFuture<Void> result = new CompletableFuture<>();
    nodes.confirm(
        failure -> {
          if (failure == null) {
            result.complete(null);
          } else {
            fail(result, failure);
          }
        });
    return result;
  }

  private <T> List<T> load(String parent, BiFunction<String, byte[], T> reader) throws Exception {
    List<T> records = new ArrayList<>();
    for (Map.Entry<String, byte[]> node : nodes.load(parent).entrySet()) {
      try {
        records.add(reader.apply(node.getKey(), node.getValue()));
      } catch (IllegalArgumentException e) {
        // One bad node must not keep a whole cluster down; what it names will register again.
        log.error("ignoring unreadable node {}/{}", parent, node.getKey(), e);
      }
    }
    return records;
  }

  @Override
  public CompletionStage<Void> putApplication(ApplicationRecord application) {
    return write(
        () -> nodes.put(APPLICATIONS + "/" + application.id(), RecordText.write(application)));
  }

  @Override
  public CompletionStage<Void> removeApplication(ApplicationId application) {
    return write(() -> nodes.remove(APPLICATIONS + "/" + application));
  }

  @Override
  public CompletionStage<Void> putServer(ServerRecord server) {
    return write(() -> nodes.put(SERVERS + "/" + server.address().id(), RecordText.write(server)));
  }

  @Override
  public CompletionStage<Void> removeServer(ServerId server) {
    return write(() -> nodes.remove(SERVERS + "/" + server));
  }

  @Override
  public CompletionStage<Void> putDecommission(ServerId server) {
    return write(() -> nodes.put(DECOMMISSIONS + "/" + server, new byte[0]));
  }

  @Override
  public CompletionStage<Void> removeDecommission(ServerId server) {
    return write(() -> nodes.remove(DECOMMISSIONS + "/" + server));
  }

  @Override
  public CompletionStage<Void> putDecision(String name, Map<String, String> fields) {
    return write(() -> nodes.put(decision(name), RecordText.encode(fields)));
  }

  @Override
  public CompletionStage<Void> removeDecision(String name) {
    return write(() -> nodes.remove(decision(name)));
  }

  /** Names have slashes, which nodes must not. */
  private static String decision(String name) {
    return DECISIONS + "/" + URLEncoder.encode(name, StandardCharsets.UTF_8);
  }

  private Map<String, Map<String, String>> decisions() throws Exception {
    Map<String, Map<String, String>> decisions = new HashMap<>();
    for (Map.Entry<String, byte[]> node : nodes.load(DECISIONS).entrySet()) {
      try {
        decisions.put(
            URLDecoder.decode(node.getKey(), StandardCharsets.UTF_8),
            RecordText.decode(node.getValue()));
      } catch (IllegalArgumentException e) {
        log.error("ignoring unreadable node {}/{}", DECISIONS, node.getKey(), e);
      }
    }
    return decisions;
  }

  private static ServerId serverId(String node, byte[] data) {
    return new ServerId(UUID.fromString(node));
  }

  /** Something that ZooKeeper may fail. */
  private interface Write {
    void run() throws Exception;
  }

  private CompletionStage<Void> write(Write write) {
    return this.<Boolean>submit(
            () -> {
              write.run();
              return true;
            })
        .thenAccept(done -> {});
  }

  private <T> CompletionStage<T> submit(Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      writer.execute(() -> complete(result, work));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(
          unavailable("ZooKeeper is slow or gone: " + QUEUE + " writes are waiting", e));
    }
    return result;
  }

  @SuppressWarnings("CatchingUnchecked") // Curator throws Exception; all of it goes to the caller.
  private static <T> void complete(CompletableFuture<T> result, Callable<T> work) {
    try {
      result.complete(work.call());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      result.completeExceptionally(unavailable("interrupted", e));
    } catch (Exception e) {
      fail(result, e);
    }
  }

  private static void fail(CompletableFuture<?> result, Exception failure) {
    result.completeExceptionally(
        failure instanceof SluiceException
            ? failure
            : unavailable("ZooKeeper failed: " + failure.getMessage(), failure));
  }

  private static SluiceException unavailable(String message, Exception cause) {
    return new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, message, cause);
  }

  /** Interrupts the write under way and drops those waiting. */
  @Override
  public void close() {
    writer.shutdownNow();
  }
}
