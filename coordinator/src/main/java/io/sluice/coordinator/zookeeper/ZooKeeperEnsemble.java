package io.sluice.coordinator.zookeeper;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.registry.StateStore;
import java.io.IOException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to a ZooKeeper ensemble, with the election and the store over it. Opening it does
 * not wait for the ensemble: whoever comes first, it works once both are there.
 */
public final class ZooKeeperEnsemble implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ZooKeeperEnsemble.class);
  private static final int CONNECTION_TIMEOUT_MILLIS = 5_000;
  private static final int RETRY_BASE_MILLIS = 100;
  private static final int RETRIES = 3;

  private final CuratorFramework client;
  private final ZooKeeperStateStore store;
  private @Nullable LeaderLatch latch;
  private @Nullable CuratorCache leader;

  private ZooKeeperEnsemble(CuratorFramework client) {
    this.client = client;
    this.store = new ZooKeeperStateStore(client);
  }

  public static ZooKeeperEnsemble open(ZooKeeperSettings settings) {
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(settings.connect())
            .namespace(settings.root().substring(1))
            .sessionTimeoutMs((int) settings.sessionTimeout().toMillis())
            .connectionTimeoutMs(CONNECTION_TIMEOUT_MILLIS)
            .retryPolicy(new ExponentialBackoffRetry(RETRY_BASE_MILLIS, RETRIES))
            .build();
    client.start();
    return new ZooKeeperEnsemble(client);
  }

  public StateStore store() {
    return store;
  }

  /**
   * Takes part in the election. At most once.
   *
   * @param address host:port of this coordinator, as clients reach it
   */
  public void elect(String address, ElectionListener listener) {
    CuratorCache cache =
        CuratorCache.build(client, FencedNodes.TERM, CuratorCache.Options.SINGLE_NODE_CACHE);
    cache
        .listenable()
        .addListener(
            CuratorCacheListener.builder()
                .forCreatesAndChanges((before, now) -> listener.leaderIs(leaderIn(now)))
                .build());
    cache.start();
    leader = cache;
    LeaderLatch candidate = new LeaderLatch(client, "/election", address);
    candidate.addListener(
        new LeaderLatchListener() {
          @Override
          public void isLeader() {
            listener.elected();
          }

          @Override
          public void notLeader() {
            listener.deposed();
          }
        });
    latch = candidate;
    try {
      candidate.start();
    } catch (Exception e) {
      throw new SluiceException(ErrorCode.INTERNAL_ERROR, "cannot start the election: " + e, e);
    }
  }

  private static String leaderIn(ChildData node) {
    byte[] data = node.getData();
    return data == null ? "" : RecordText.readLeader(data).leader();
  }

  /** Gives leadership up at once, so that a successor need not wait for the session to end. */
  @Override
  public void close() {
    if (latch != null) {
      try {
        latch.close();
      } catch (IOException e) {
        log.warn("could not leave the election; the session's end will", e);
      }
    }
    if (leader != null) {
      leader.close();
    }
    store.close();
    client.close();
  }
}
