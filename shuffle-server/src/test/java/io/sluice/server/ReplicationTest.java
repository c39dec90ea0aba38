package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.ReplicaCluster.Node;
import io.sluice.server.replication.AckRule;
import io.sluice.server.replication.ReplicaStats;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.Principal;
import io.sluice.transport.TransportLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Whole cores that forward blocks to each other. */
class ReplicationTest {
  private static final long MIB = 1 << 20;
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(3);
  private static final long MINUTE = 60_000_000_000L;

  private static TestBlock block(int sequence, int stored) {
    return new TestBlock(sequence % 3, 1, 9, sequence, stored);
  }

  private static int open(TestPeer client, ReplicaCluster cluster, Node primary) {
    return client.open(SHUFFLE, primary.identity.incarnation(), cluster.othersOf(primary));
  }

  private static List<TestBlock> heldBy(ReplicaCluster cluster, Node node) {
    TestPeer reader = node.client();
    int handle = reader.open(SHUFFLE, node.identity.incarnation());
    TestPeer.Stream stream = reader.fetch(handle, 0, 10, 0, Integer.MAX_VALUE, 1L << 40);
    reader.session.readComplete();
    cluster.world.settle();
    reader.close();
    return stream.blocks();
  }

  @Test
  void acknowledgesWhatEveryMemberHoldsAndNotBefore() {
    for (int cores = 2; cores <= 3; cores++) {
      ReplicaCluster cluster = new ReplicaCluster(cores, 8 * MIB, 0, AckRule.ALL);
      Node primary = cluster.nodes.get(0);
      TestPeer client = primary.client();
      int handle = open(client, cluster, primary);
      List<TestBlock> blocks = List.of(block(0, 5000), block(1, 70), block(2, 30_000));
      blocks.forEach(block -> assertThat(client.push(handle, block)).isTrue());
      client.session.readComplete();
      assertThat(client.acked).as("nobody else has it yet").isEmpty();
      cluster.world.settle();
      assertThat(client.acked).containsExactlyInAnyOrderElementsOf(blocks);
      for (Node node : cluster.nodes) {
        assertThat(heldBy(cluster, node)).containsExactlyInAnyOrderElementsOf(blocks);
      }
      assertThat(primary.core.replication().stats().pendingBytes()).isZero();
    }
  }

  @Test
  void blocksThatComeInPartsAreForwardedToo() {
    ReplicaCluster cluster = new ReplicaCluster(2, 8 * MIB, 0, AckRule.ALL);
    Node primary = cluster.nodes.get(0);
    TestPeer client = primary.client();
    int handle = open(client, cluster, primary);
    TestBlock block = block(0, 60_000);
    assertThat(client.pushInParts(handle, block, 7_000)).isTrue();
    client.session.readComplete();
    cluster.world.settle();
    assertThat(client.acked).containsExactly(block);
    assertThat(heldBy(cluster, cluster.nodes.get(1))).containsExactly(block);
  }

  @Test
  void aMajorityOfThreeIsEnoughIfSoConfigured() {
    ReplicaCluster cluster = new ReplicaCluster(3, 8 * MIB, 0, AckRule.MAJORITY);
    Node primary = cluster.nodes.get(0);
    cluster.nodes.get(2).up = false;
    TestPeer client = primary.client();
    int handle = open(client, cluster, primary);
    client.push(handle, block(0, 5000));
    client.session.readComplete();
    cluster.world.settle();
    assertThat(client.acked).hasSize(1);
    assertThat(client.nacked).isEmpty();
  }

  /** The slow one is silent for good here; really its connection would end after a while. */
  @Test
  void aMemberThatLagsIsGivenUpBeforeItHoldsTheMemoryOfOthers() {
    ReplicaCluster cluster = new ReplicaCluster(3, 8 * MIB, 1, AckRule.MAJORITY);
    Node primary = cluster.nodes.get(0);
    TestPeer client = primary.client();
    Writer writer = new Writer(client, open(client, cluster, primary), 0);
    writer.push(1);
    cluster.world.settle();
    primary.outgoingTo(cluster.nodes.get(2)).freeze();
    ReplicaStats stats = primary.core.replication().stats();
    int target = 400; // times 60 KB: three times the arena
    for (int rounds = 0; writer.acked() < target; rounds++) {
      writer.push(target);
      cluster.world.settle();
      assertThat(stats.keptBytes()).isLessThanOrEqualTo(MIB);
      cluster.world.advance(50_000_000);
      assertThat(rounds).as("rounds").isLessThan(500);
    }
    assertThat(client.nacked).isEmpty();
    assertThat(stats.failures(ErrorCode.TIMED_OUT)).isPositive();
    cluster.world.advance(MINUTE);
    assertThat(stats.keptBytes()).isZero();
    assertThat(heldBy(cluster, cluster.nodes.get(1))).hasSize(target);
  }

  @Test
  void whoCannotBeReachedIsTriedLessAndLessOften() {
    ReplicaCluster cluster = new ReplicaCluster(2, 8 * MIB, 0, AckRule.ALL);
    Node primary = cluster.nodes.get(0);
    Node away = cluster.nodes.get(1);
    away.up = false;
    TestPeer client = primary.client();
    int handle = open(client, cluster, primary);
    for (int i = 0; i < 1_000; i++) {
      pushAlone(client, handle, block(i, 100));
      cluster.world.settle();
      assertThat(client.pending).as("refused at once").isEmpty();
      cluster.world.advance(20_000_000);
    }
    assertThat(client.nacked.values()).hasSize(1_000).containsOnly(ErrorCode.REPLICA_FAILED);
    assertThat(client.blamed).extracting(FailedReplica::why).containsOnly(ErrorCode.CONNECT_FAILED);
    // 0, 0.1, 0.3, 0.7, 1.5, 3.1, 6.3, 11.3 and 16.3 s after the first, and each time once more.
    assertThat(primary.dials).isBetween(16, 20);

    away.up = true;
    cluster.world.advance(6_000_000_000L);
    pushAlone(client, handle, block(1_000, 100));
    cluster.world.settle();
    assertThat(client.acked).hasSize(1);
  }

  private static void pushAlone(TestPeer client, int handle, TestBlock block) {
    assertThat(client.push(handle, block)).isTrue();
    client.session.readComplete();
  }

  @Test
  void refusesAndNamesTheMemberThatFailed() {
    ReplicaCluster cluster = new ReplicaCluster(3, 8 * MIB, 0, AckRule.ALL);
    Node primary = cluster.nodes.get(0);
    Node dead = cluster.nodes.get(2);
    dead.up = false;
    TestPeer client = primary.client();
    int handle = open(client, cluster, primary);
    client.push(handle, block(0, 5000));
    client.session.readComplete();
    cluster.world.settle();
    assertThat(client.nacked.values()).containsExactly(ErrorCode.REPLICA_FAILED);
    assertThat(client.blamed)
        .containsExactly(new FailedReplica(dead.identity.id(), ErrorCode.CONNECT_FAILED));
    assertThat(client.pending).isEmpty();
  }

  @Test
  void sendsAgainOverANewConnectionWhatAnOldOneLost() {
    ReplicaCluster cluster = new ReplicaCluster(2, 8 * MIB, 0, AckRule.ALL);
    Node primary = cluster.nodes.get(0);
    TestPeer client = primary.client();
    int handle = open(client, cluster, primary);
    client.push(handle, block(0, 5000));
    client.session.readComplete();
    cluster.world.settle();
    primary.outgoing.get(0).freeze();
    client.push(handle, block(1, 5000));
    client.session.readComplete();
    cluster.world.settle();
    assertThat(client.acked).hasSize(1);
    primary.outgoing.get(0).cut(ErrorCode.CONNECTION_LOST);
    cluster.world.settle();
    assertThat(client.acked).hasSize(2);
    assertThat(primary.outgoing).hasSize(2);
  }

  @Test
  void silenceIsNotTriedAgain() {
    ReplicaCluster cluster = new ReplicaCluster(2, 8 * MIB, 0, AckRule.ALL);
    Node primary = cluster.nodes.get(0);
    TestPeer client = primary.client();
    int handle = open(client, cluster, primary);
    client.push(handle, block(0, 5000));
    client.session.readComplete();
    cluster.world.settle();
    primary.outgoing.get(0).freeze();
    client.push(handle, block(1, 5000));
    client.session.readComplete();
    cluster.world.settle();
    primary.outgoing.get(0).cut(ErrorCode.TIMED_OUT);
    cluster.world.settle();
    assertThat(client.nacked).containsValue(ErrorCode.REPLICA_FAILED);
    assertThat(client.blamed.get(0).why()).isEqualTo(ErrorCode.TIMED_OUT);
  }

  @Test
  void aShuffleThatIsRemovedFreesWhatWaits() {
    ReplicaCluster cluster = new ReplicaCluster(2, 8 * MIB, 0, AckRule.ALL);
    Node primary = cluster.nodes.get(0);
    TestPeer client = primary.client();
    int handle = open(client, cluster, primary);
    client.push(handle, block(0, 40_000));
    client.session.readComplete();
    cluster.world.step();
    primary.core.shuffles().remove(SHUFFLE);
    cluster.world.settle();
    assertThat(primary.core.arena().chunkBytes()).isZero();
    assertThat(primary.core.replication().stats().pendingBytes()).isZero();
    assertThat(client.pending).isEmpty();
  }

  /** Else the member takes the connection for a newcomer; {@link PeerPipe} refuses that. */
  @Test
  void saysWhoseBlocksTheseAreBeforeItAsksForCredit() {
    ReplicaCluster cluster = new ReplicaCluster(2, 8 * MIB, 0, AckRule.ALL);
    Node primary = cluster.nodes.get(0);
    TestPeer client = primary.client();
    int handle = open(client, cluster, primary);
    client.session.want(TransportLimits.charge(70_000));
    cluster.world.settle();
    pushAlone(client, handle, block(0, 70_000)); // more than any seed
    cluster.world.settle();
    assertThat(client.acked).hasSize(1);
  }

  @Test
  void whatAnotherServerBringsGoesNoFurther() {
    ReplicaCluster cluster = new ReplicaCluster(2, 8 * MIB, 0, AckRule.ALL);
    Node node = cluster.nodes.get(0);
    PeerInfo server =
        new PeerInfo(
            new UUID(1, 1), 3, "peer", Principal.anyone(), cluster.nodes.get(1).identity.id());
    var session = node.core.accept(server, node.client()).session();
    assertThatThrownBy(() -> session.open(0, SHUFFLE, 5, cluster.othersOf(node)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNEXPECTED_FRAME));
  }

  @Test
  void aServerIsNotTwiceInASet() {
    ReplicaCluster cluster = new ReplicaCluster(2, 8 * MIB, 0, AckRule.ALL);
    Node node = cluster.nodes.get(0);
    TestPeer client = node.client();
    assertThatThrownBy(() -> client.open(SHUFFLE, 5, List.of(node.member())))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
  }

  /** A to B and B to A, each with more than its memory holds: what is flushed makes room. */
  @Test
  void serversThatReplicateToEachOtherWithFullMemoryBothGoOn() {
    ReplicaCluster cluster = new ReplicaCluster(2, 4 * MIB, 1, AckRule.ALL);
    List<Writer> writers = new ArrayList<>();
    for (Node node : cluster.nodes) {
      TestPeer client = node.client();
      writers.add(new Writer(client, open(client, cluster, node), writers.size()));
    }
    int target = 150; // times 60 KB, from each: twice the arenas
    for (int rounds = 0; writers.stream().anyMatch(w -> w.acked() < target); rounds++) {
      for (Writer writer : writers) {
        writer.push(target);
      }
      cluster.world.settle();
      cluster.world.advance(50_000_000);
      assertThat(rounds).as("rounds").isLessThan(5_000);
      for (Writer writer : writers) {
        assertThat(writer.client.nacked).isEmpty();
      }
    }
    for (Node node : cluster.nodes) {
      assertThat(heldBy(cluster, node)).hasSize(2 * target);
    }
    writers.forEach(writer -> writer.client.close());
    cluster.nodes.forEach(node -> node.core.shuffles().remove(SHUFFLE));
    cluster.world.advance(MINUTE);
    for (Node node : cluster.nodes) {
      assertThat(node.core.arena().chunkBytes()).isZero();
      assertThat(
              node.core.arena().reserve().free()
                  + node.core.replicaCredit().limits().reserveBytes())
          .as("reserve")
          .isEqualTo(node.core.arena().reserve().capacity());
    }
  }

  private static final class Writer {
    final TestPeer client;
    final int handle;
    private final int attempt;
    private int next;
    private boolean wants;

    Writer(TestPeer client, int handle, int attempt) {
      this.attempt = attempt;
      this.client = client;
      this.handle = handle;
    }

    int acked() {
      return client.acked.size();
    }

    void push(int target) {
      while (next < target) {
        TestBlock block = new TestBlock(next % 3, handle, attempt, next, 60_000);
        if (!client.push(handle, block)) {
          break;
        }
        next++;
      }
      client.session.readComplete();
      if (next < target && client.credit < TransportLimits.charge(60_000)) {
        if (!wants) {
          client.session.want(TransportLimits.charge(60_000));
        }
        wants = client.granted == 0 && client.refusals.isEmpty();
        client.granted = 0;
        client.refusals.clear();
      }
    }
  }
}
