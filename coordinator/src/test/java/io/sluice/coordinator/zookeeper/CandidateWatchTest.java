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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a real ZooKeeper in this process. */
class CandidateWatchTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path directory;

  @SuppressWarnings("NullAway.Init")
  private EmbeddedZooKeeper server;

  @SuppressWarnings("NullAway.Init")
  private CuratorFramework client;

  private final BlockingQueue<List<String>> told = new LinkedBlockingQueue<>();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @BeforeEach
  void start() {
    server = EmbeddedZooKeeper.start(directory);
    client =
        CuratorFrameworkFactory.builder()
            .connectString(server.connectString())
            .namespace("sluice/test")
            .sessionTimeoutMs(60_000)
            .retryPolicy(new ExponentialBackoffRetry(100, 3))
            .build();
    client.start();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    client.close();
    server.close();
  }

  private Candidacy standing(String address) {
    LeaderLatchListener nobody =
        new LeaderLatchListener() {
          @Override
          public void isLeader() {}

          @Override
          public void notLeader() {}
        };
    Candidacy candidacy = new Candidacy(client, ZooKeeperEnsemble.ELECTION, address, nobody);
    candidacy.begin();
    opened.add(candidacy);
    return candidacy;
  }

  private void watch() {
    opened.add(new CandidateWatch(client, ZooKeeperEnsemble.ELECTION, told::add));
  }

  private void await(String... addresses) throws InterruptedException {
    List<String> expected = List.of(addresses);
    List<String> last;
    do {
      last = told.poll(30, TimeUnit.SECONDS);
      assertThat(last).as("word of %s", expected).isNotNull();
    } while (!expected.equals(last));
  }

  @Test
  void seesWhoComesAndGoes() throws InterruptedException {
    standing("b:7400");
    watch();
    await("b:7400");

    Candidacy second = standing("a:7400");
    await("a:7400", "b:7400");
    second.close();
    await("b:7400");
  }

  @Test
  void beginsBeforeAnybodyStands() throws InterruptedException {
    watch();
    standing("b:7400");
    await("b:7400");
  }

  @Test
  void whatIsNoCandidateIsNotTakenForOne() throws Exception {
    watch();
    client.create().creatingParentsIfNeeded().forPath(ZooKeeperEnsemble.ELECTION + "/x", null);
    client.create().forPath(ZooKeeperEnsemble.ELECTION + "/y", new byte[0]);
    standing("b:7400");
    await("b:7400");
  }
}
