package io.sluice.coordinator.zookeeper;

import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.registry.StateStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.KeeperException;
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
  static final String ELECTION = "/election";

  private final CuratorFramework client;
  private final ZooKeeperSettings settings;
  private final ZooKeeperStateStore store;
  private volatile @Nullable Candidacy candidacy;
  private @Nullable CuratorCache leader;
  private @Nullable CandidateWatch candidates;

  private ZooKeeperEnsemble(CuratorFramework client, ZooKeeperSettings settings) {
    this.client = client;
    this.settings = settings;
    this.store = new ZooKeeperStateStore(client, settings.access().digestFile().isPresent());
  }

  /**
   * Begins to connect.
   *
   * @throws SluiceException INVALID_CONFIGURATION if a file with a secret cannot be used
   */
  public static ZooKeeperEnsemble open(ZooKeeperSettings settings) {
    int session = (int) settings.sessionTimeout().toMillis();
    CuratorFrameworkFactory.Builder builder =
        CuratorFrameworkFactory.builder()
            .connectString(settings.connect())
            .namespace(settings.root().substring(1))
            .sessionTimeoutMs(session)
            .connectionTimeoutMs(Math.min(session, CONNECTION_TIMEOUT_MILLIS))
            .retryPolicy(new ExponentialBackoffRetry(RETRY_BASE_MILLIS, RETRIES))
            .zkClientConfig(settings.access().clientConfig());
    settings
        .access()
        .digest()
        .ifPresent(
            login ->
                builder.authorization("digest", login).aclProvider(new OwnNodes(settings.root())));
    CuratorFramework client = builder.build();
    client.start();
    return new ZooKeeperEnsemble(client, settings);
  }

  /**
   * Waits until some member of the ensemble has taken us in.
   *
   * @param setting that names the ensemble
   * @param login setting that names whom to log in as
   * @throws SluiceException INVALID_CONFIGURATION saying what is wrong with each member, that the
   *     login is refused, or that the cluster's nodes belong to somebody else
   */
  public void awaitConnection(Duration patience, String setting, String login) {
    try {
      if (client.blockUntilConnected((int) patience.toMillis(), TimeUnit.MILLISECONDS)) {
        checkAccess(login);
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(
          ErrorCode.CANCELLED, "interrupted while ZooKeeper was waited for", e);
    }
    throw new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        "ZooKeeper cannot be reached ("
            + setting
            + (settings.access().isEncrypted() ? ", over TLS" : "")
            + "):\n  - "
            + EnsembleProbe.describe(settings.connect()));
  }

  private void checkAccess(String login) {
    try {
      client.getData().forPath(FencedNodes.TERM);
    } catch (KeeperException.NoAuthException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "ZooKeeper does not let this coordinator read "
              + settings.root()
              + FencedNodes.TERM
              + ", which belongs to another user: is "
              + login
              + " set, and right?",
          e);
    } catch (KeeperException.AuthFailedException
        | KeeperException.SessionClosedRequireAuthException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "ZooKeeper does not let this coordinator in, which has not logged in as it wants it: is "
              + login
              + " or a certificate to be set, or, for SASL, the JVM's login configuration right?",
          e);
    } catch (Exception e) {
      // No node yet, or no ZooKeeper any more: whoever leads will see.
      log.debug("access to ZooKeeper was not checked", e);
    }
  }

  /**
   * What is wrong with each member, if none of them takes connections. Blocks, for two seconds
   * each.
   */
  public static Optional<String> unreachable(List<HostPort> members) {
    return EnsembleProbe.unreachable(members);
  }

  public StateStore store() {
    return store;
  }

  /**
   * Removes the candidates of earlier lives, whose sessions would else have to end first. Only for
   * a ZooKeeper that no other process can reach, so that nobody else can be a candidate.
   *
   * @throws SluiceException INTERNAL_ERROR if ZooKeeper fails
   */
  public void removeCandidates() {
    try {
      client.delete().deletingChildrenIfNeeded().forPath(ELECTION);
    } catch (KeeperException.NoNodeException e) {
      // This is the first life.
    } catch (Exception e) {
      throw new SluiceException(
          ErrorCode.INTERNAL_ERROR, "candidates of earlier lives cannot be removed: " + e, e);
    }
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
    candidates = new CandidateWatch(client, ELECTION, listener::candidatesAre);
    Candidacy standing =
        new Candidacy(
            client,
            ELECTION,
            address,
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
    candidacy = standing;
    standing.begin();
  }

  /** Leaves its place in the election for the last one, in the background. */
  public void standAgain() {
    Candidacy standing = candidacy;
    if (standing != null) {
      standing.standAgain();
    }
  }

  private static String leaderIn(ChildData node) {
    byte[] data = node.getData();
    return data == null ? "" : RecordText.readLeader(data).leader();
  }

  /**
   * Gives leadership up at once, so that a successor need not wait for the session to end, and
   * stands no more; the connection stays. Idempotent.
   */
  public void withdraw() {
    Candidacy standing = candidacy;
    if (standing != null) {
      standing.close();
    }
  }

  /** Withdraws, then ends the connection. */
  @Override
  public void close() {
    withdraw();
    if (leader != null) {
      leader.close();
    }
    if (candidates != null) {
      candidates.close();
    }
    store.close();
    client.close();
  }
}
