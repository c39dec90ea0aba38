package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.TableBudget;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An application that has more partitions than its share of the tables is for. */
class CoreTableShareTest {
  private static final ApplicationId RUNAWAY = ApplicationId.of(7, 7);
  private static final ShuffleKey MODEST = CoreFixture.shuffle(1);
  private static final long TABLES = 256 * 1024;
  private static final long SHARE = TABLES - TABLES / 4;

  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1, TABLES);
  private final TestPeer runaway = fixture.connect();
  private final TestPeer modest = fixture.connect();

  private static ShuffleKey runaway(int shuffle) {
    return new ShuffleKey(RUNAWAY, shuffle, 0);
  }

  /** Pushes a small block to each of some partitions; returns how many were stored. */
  private int push(TestPeer peer, ShuffleKey shuffle, int partitions, int map) {
    int handle = peer.open(shuffle, fixture.identity.incarnation());
    int before = peer.acked.size();
    for (int partition = 0; partition < partitions; partition++) {
      TestBlock block = new TestBlock(partition, map, map, 0, 100);
      if (partition % 2 == 0) {
        fixture.push(peer, handle, block);
      } else {
        fixture.pushInParts(peer, handle, block);
      }
      fixture.finish(peer);
    }
    return peer.acked.size() - before;
  }

  private long used() {
    return fixture.core.tables().used();
  }

  private long atQuota() {
    return new CoreGauges(fixture.core).applicationsAtQuota();
  }

  @Test
  void itIsRefusedForWhatItHasItselfWhileOthersGoOn() {
    int stored = push(runaway, runaway(1), 600, 0);

    assertThat(used()).isBetween(SHARE, SHARE + TABLES / 64);
    assertThat(runaway.nacked.values())
        .hasSize(600 - stored)
        .containsOnly(ErrorCode.QUOTA_EXCEEDED);
    assertThat(runaway.explanations)
        .hasSize(1)
        .allMatch(why -> why.contains(RUNAWAY.toString()) && why.contains("-Xmx"));
    assertThat(atQuota()).isEqualTo(1);
    assertThat(push(modest, MODEST, 50, 0)).isEqualTo(50);
    assertThat(modest.nacked).isEmpty();
  }

  @Test
  void itMayNotGoOnInAnotherShuffleWhichIsNotEvenBegun() {
    push(runaway, runaway(1), 600, 0);
    long before = used();

    for (int shuffle = 2; shuffle < 50; shuffle++) {
      assertThat(push(runaway, runaway(shuffle), 2, 0)).isZero();
    }

    assertThat(used()).isEqualTo(before);
    assertThat(fixture.core.shuffles().all()).hasSize(1);
  }

  @Test
  void itGoesOnOnceItHasGivenBack() {
    push(runaway, runaway(1), 200, 0);
    push(runaway, runaway(2), 600, 0);
    int refused = runaway.nacked.size();
    assertThat(refused).isPositive();

    fixture.core.shuffles().remove(runaway(1));

    assertThat(atQuota()).isZero();
    assertThat(push(runaway, runaway(2), 100, 1)).isEqualTo(100);
    assertThat(runaway.nacked).hasSize(refused);
    fixture.core.shuffles().remove(RUNAWAY);
    assertThat(used()).isZero();
    assertThat(atQuota()).isZero();
  }

  @Test
  void whatIsFoundOnDisksAtTheStartCounts() {
    push(runaway, runaway(1), 600, 0);
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);

    ServerCore again = fixture.restarted();

    assertThat(again.tables().used()).isEqualTo(used()).isGreaterThan(SHARE);
    assertThat(again.tables().extents()).isGreaterThan(SHARE / 2 / TableBudget.PARTITION_BYTES);
    assertThat(again.shuffles().applicationsAtTableLimit()).isEqualTo(1);
  }
}
