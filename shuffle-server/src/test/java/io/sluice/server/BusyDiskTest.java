package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BusyDiskTest {
  private static final int BLOCK = 50_000;

  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1);
  private final MemoryStore disk = fixture.stores.get(0);
  private final TestPeer peer = fixture.connect();
  private final int handle = peer.open(CoreFixture.shuffle(1), fixture.identity.incarnation());
  private final List<Runnable> writes = new ArrayList<>();
  private int nextMap;

  private void push(int blocks) {
    for (int i = 0; i < blocks; i++) {
      fixture.push(peer, handle, new TestBlock(i % 8, nextMap, nextMap, 0, BLOCK));
      nextMap++;
      fixture.finish(peer);
    }
  }

  @Test
  void aBufferIsGivenBackWhereNothingFillsAUnit() {
    List<Integer> handles = new ArrayList<>();
    for (int shuffle = 2; shuffle < 32; shuffle++) {
      handles.add(peer.open(CoreFixture.shuffle(shuffle), fixture.identity.incarnation()));
    }
    // More than half of memory, and of no shuffle as much as a unit.
    for (int block = 0; block < 3; block++) {
      for (int each : handles) {
        fixture.push(peer, each, new TestBlock(0, block, block, 0, BLOCK));
        fixture.finish(peer);
      }
    }

    assertThat(disk.stages()).as("looks in vain").isGreaterThan(disk.units.size());
    assertThat(disk.staged()).isZero();
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
    assertThat(disk.payloadBytes).isGreaterThanOrEqualTo(90L * BLOCK);
  }

  @Test
  void whatIsReadWhileAllStagingBuffersAreInUseStartsNoLookUntilOneIsBack() {
    disk.writer = writes::add;
    push(100);
    assertThat(writes).hasSize(2);
    // Each look that finds no buffer waits for one.
    assertThat(disk.waits()).isEqualTo(1);

    push(20);

    assertThat(disk.waits()).isEqualTo(1);
    disk.writer = fixture.world.executor();
    writes.forEach(Runnable::run);
    fixture.world.settle();
    assertThat(disk.units).hasSizeGreaterThan(2);
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
    assertThat(disk.payloadBytes).isGreaterThanOrEqualTo(120L * BLOCK);
  }
}
