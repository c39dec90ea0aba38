package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A peer that takes a piece now and then, of a few bytes in each of many chunks, and others of its
 * application.
 */
class TricklingReaderTest {
  private static final long CREDIT = 1L << 40;
  private static final int ALL = Integer.MAX_VALUE;
  private static final int FILLING = 10_000;
  private static final int SPARSE = 100;

  /** The map whose blocks are small; the other one's fill the chunks between. */
  private static final int FEW = 7;

  // 2 MiB for readers, of which an application has one.
  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1);
  private final ServerCore core = fixture.core;
  private final ShuffleKey shuffle = CoreFixture.shuffle(1);
  private final TestPeer writer = fixture.connect();
  private final TestPeer trickle = fixture.connect();

  private final List<TestBlock> sparse = new ArrayList<>();
  private final List<TestBlock> others = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() {
    trickle.close();
    writer.close();
    fixture.world.settle();
    assertThat(core.leases().leased()).isZero();
    assertThat(core.leases().waiting()).isZero();
    core.shuffles().remove(shuffle);
    fixture.world.settle();
    assertThat(core.arena().chunkBytes()).isZero();
  }

  /**
   * Two mebibytes of one partition, of which little is of the map asked for, and one of another.
   */
  private void push() {
    int handle = writer.open(shuffle, 5);
    for (int i = 0; i < 200; i++) {
      sparse.add(push(handle, new TestBlock(0, FEW, 1_000, sparse.size(), SPARSE)));
      push(handle, new TestBlock(0, FEW + 1, 1_001, i, FILLING));
    }
    for (int i = 0; i < 100; i++) {
      others.add(push(handle, new TestBlock(1, FEW, 1_000, i, FILLING)));
    }
    assertThat(core.stats().flushedUnits()).isZero();
  }

  private TestBlock push(int handle, TestBlock block) {
    fixture.push(writer, handle, block);
    fixture.finish(writer);
    return block;
  }

  private TestPeer.Stream fetch(TestPeer peer, int partition, int endMap) {
    TestPeer.Stream stream =
        peer.fetch(peer.open(shuffle, 5), partition, partition + 1, 0, endMap, CREDIT);
    fixture.finish(peer);
    return stream;
  }

  private void assertOthersRead() {
    TestPeer reader = fixture.connect();
    TestPeer.Stream stream = fetch(reader, 1, ALL);
    assertThat(stream.ended).as(core.leases().toString()).isTrue();
    assertThat(stream.blocks()).containsExactlyElementsOf(others);
    reader.close();
  }

  @Test
  void leavesRoomForOthersOfItsApplication() {
    push();
    trickle.reads = false;
    TestPeer.Stream stream = fetch(trickle, 0, FEW + 1);
    int takes = 0;
    while (!trickle.unsent.isEmpty()) {
      assertOthersRead();
      assertThat(core.leases().leased())
          .isPositive()
          .isLessThanOrEqualTo(core.leases().perApplication() / 2);
      trickle.unsent.remove().close();
      // No word of the socket's that it takes more: it was never full.
      fixture.world.settle();
      takes++;
    }
    assertThat(takes).isGreaterThan(5);
    assertThat(stream.ended).isTrue();
    assertThat(stream.blocks()).containsExactlyElementsOf(sparse);
  }
}
