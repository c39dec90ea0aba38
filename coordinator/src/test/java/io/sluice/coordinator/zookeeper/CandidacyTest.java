package io.sluice.coordinator.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a real ZooKeeper in this process. */
class CandidacyTest {
  private static final String PATH = "/election";

  /** Short, because the node of a session that ended without a word is in the way so long. */
  private static final int SESSION_MILLIS = 2_000;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path directory;

  @SuppressWarnings("NullAway.Init")
  private EmbeddedZooKeeper server;

  @SuppressWarnings("NullAway.Init")
  private CuratorFramework client;

  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() {
    server = EmbeddedZooKeeper.start(directory);
    client =
        CuratorFrameworkFactory.newClient(
            server.connectString(), SESSION_MILLIS, 3_000, new ExponentialBackoffRetry(100, 3));
    client.start();
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private Candidacy candidacy() {
    return new Candidacy(
        client,
        PATH,
        "here:7400",
        new LeaderLatchListener() {
          @Override
          public void isLeader() {
            told.add("elected");
          }

          @Override
          public void notLeader() {
            told.add("deposed");
          }
        });
  }

  private String next() throws InterruptedException {
    return String.valueOf(told.poll(30, TimeUnit.SECONDS));
  }

  @Test
  void aSessionThatEndsIsFollowedByACandidateOfTheNext() throws Exception {
    try (Candidacy candidacy = candidacy()) {
      candidacy.begin();
      assertThat(next()).isEqualTo("elected");
      long first = session();
      client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
      assertThat(next()).isEqualTo("deposed");
      assertThat(next()).isEqualTo("elected");
      assertThat(session()).isNotEqualTo(first);
      assertThat(owners()).contains(session());
    }
    assertThat(owners()).doesNotContain(session());
  }

  /**
   * Curator's latch looks whose node is its own only when that is the first in line. One further
   * back that belongs to a session which has ended goes with it, and nobody would stand there.
   */
  @Test
  void aCandidateThatIsNotTheFirstInLineStandsAnewInItsNextSessionToo() throws Exception {
    try (CuratorFramework other =
            CuratorFrameworkFactory.newClient(
                server.connectString(), 60_000, 3_000, new ExponentialBackoffRetry(100, 3));
        Candidacy candidacy = candidacy()) {
      other.start();
      LeaderLatch leader = new LeaderLatch(other, PATH, "there:7400");
      leader.start();
      leader.await();
      candidacy.begin();
      awaitOwner(session());
      long first = session();
      client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
      await("another session", () -> session() != first && session() != 0);
      awaitOwner(session());
      // What it stood with before may have been seen last.
      await("the node of the session before is gone", () -> !owners().contains(first));
      awaitOwner(session());

      leader.close();
      assertThat(next()).isEqualTo("elected");
    }
  }

  @Test
  void standsAgainBehindTheOthers() throws Exception {
    try (CuratorFramework other =
            CuratorFrameworkFactory.newClient(
                server.connectString(), 60_000, 3_000, new ExponentialBackoffRetry(100, 3));
        Candidacy candidacy = candidacy()) {
      candidacy.begin();
      assertThat(next()).isEqualTo("elected");
      other.start();
      try (LeaderLatch heir = new LeaderLatch(other, PATH, "there:7400")) {
        heir.start();
        await("two candidates", () -> owners().size() == 2);

        candidacy.standAgain();

        assertThat(next()).isEqualTo("deposed");
        assertThat(heir.await(20, TimeUnit.SECONDS)).isTrue();
        awaitOwner(session());
        assertThat(told).isEmpty();
      }
      assertThat(next()).isEqualTo("elected");
    }
  }

  private void awaitOwner(long session) throws Exception {
    await("a candidate of session " + session, () -> owners().contains(session));
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.call()) {
      assertThat(deadline - Clock.system().nanoTime()).as("time left for " + what).isPositive();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private long session() throws Exception {
    return client.getZookeeperClient().getZooKeeper().getSessionId();
  }

  /** The sessions that candidates belong to. */
  private List<Long> owners() throws Exception {
    List<Long> owners = new ArrayList<>();
    for (String child : client.getChildren().forPath(PATH)) {
      Stat stat = client.checkExists().forPath(PATH + "/" + child);
      if (stat != null) {
        owners.add(stat.getEphemeralOwner());
      }
    }
    return owners;
  }
}
