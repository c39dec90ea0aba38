package io.sluice.coordinator.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
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
