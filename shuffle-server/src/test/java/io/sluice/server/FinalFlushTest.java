package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FinalFlushTest {
  private static final int BLOCK = 10_000;

  private final CoreFixture fixture = new CoreFixture(1, 4 * CoreFixture.MIB, 1);
  private final TestPeer peer = fixture.connect();

  private long push(int blocks) {
    int handle = peer.open(CoreFixture.shuffle(1), fixture.identity.incarnation());
    for (int map = 0; map < blocks; map++) {
      fixture.push(peer, handle, new TestBlock(0, map, map, 0, BLOCK));
    }
    fixture.finish(peer);
    peer.session.closed();
    return peer.acked.stream().mapToLong(TestBlock::length).sum();
  }

  @Test
  void saysHowMuchADiskThatIsTooSlowLeftBehind() throws Exception {
    long stored = push(5);

    // Nothing runs in this world but when it is told to: the disk writes nothing in that time.
    assertThat(new FinalFlush(fixture.core).run(1)).hasValue(stored);
  }

  @Test
  void saysHowMuchNoDiskTook() throws Exception {
    long stored = push(5);
    fixture.stores.get(0).fenced = true;
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.advance(TimeUnit.SECONDS.toNanos(16));

    assertThat(drained).isCompletedWithValue(false);
    assertThat(new FinalFlush(fixture.core).run(1)).hasValue(stored);
  }

  @Test
  void aWriteThatFailsOnceCostsASecondAndNotTheMemory() throws Exception {
    push(5);
    fixture.stores.get(0).writesToFail = 1;
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isNotDone();

    fixture.world.advance(TimeUnit.SECONDS.toNanos(1));

    assertThat(drained).isCompletedWithValue(true);
    assertThat(new FinalFlush(fixture.core).run(1)).isEmpty();
  }

  @Test
  void aFenceThatFallsInTimeCostsNothing() throws Exception {
    push(5);
    fixture.stores.get(0).fenced = true;
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.advance(TimeUnit.SECONDS.toNanos(15));
    assertThat(drained).isNotDone();

    fixture.stores.get(0).unfence();
    fixture.world.settle();

    assertThat(drained).isCompletedWithValue(true);
    assertThat(new FinalFlush(fixture.core).run(1)).isEmpty();
  }

  @Test
  void aDiskThatHasLongBeenFencedIsNotWaitedFor() throws Exception {
    fixture.stores.get(0).fenced = true;
    // More than half of the memory: somebody looks for a disk.
    push(250);
    fixture.world.advance(TimeUnit.SECONDS.toNanos(16));

    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();

    assertThat(drained).isCompletedWithValue(false);
  }

  /** Another disk's flush may look just then, and would end the drain. */
  @Test
  void whatIsBeingStagedHasNotLeft() {
    long stored = push(5);
    List<Long> unsaved = new ArrayList<>();
    fixture.stores.get(0).onExtent = () -> unsaved.add(fixture.core.unsavedBytes());
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();

    assertThat(unsaved).isNotEmpty().allMatch(bytes -> bytes >= stored);
    assertThat(drained).isCompletedWithValue(true);
    assertThat(fixture.core.unsavedBytes()).isZero();
  }

  @Test
  void leavesNothingOnceEverythingIsWritten() throws Exception {
    push(5);
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();

    assertThat(drained).isCompletedWithValue(true);
    assertThat(new FinalFlush(fixture.core).run(1)).isEmpty();
  }
}
