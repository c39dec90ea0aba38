package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Readers that do not read, and what others have of the memory meanwhile. */
class LeasedReadersTest {
  private static final long CREDIT = 1L << 40;
  private static final int BLOCK = 60_000;
  private static final int ALL = Integer.MAX_VALUE;

  // 2 MiB for readers, of which an application has one.
  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1);
  private final List<TestPeer> peers = new ArrayList<>();
  private ServerCore core = fixture.core;

  @AfterEach
  void nothingIsLeft() {
    peers.forEach(TestPeer::close);
    fixture.world.settle();
    assertThat(core.leases().leased()).isZero();
    assertThat(core.leases().waiting()).isZero();
    List.copyOf(core.shuffles().all()).forEach(shuffle -> core.shuffles().remove(shuffle.key()));
    fixture.world.settle();
    assertThat(core.arena().chunkBytes()).isZero();
    assertThat(core.readBuffers().inUse()).isZero();
  }

  private TestPeer peer() {
    TestPeer peer = new TestPeer(core, fixture.world.executor());
    peers.add(peer);
    return peer;
  }

  private TestPeer deaf() {
    TestPeer peer = peer();
    peer.reads = false;
    return peer;
  }

  private static ShuffleKey shuffleOf(int application) {
    return new ShuffleKey(ApplicationId.of(1, application), 1, 0);
  }

  private static TestBlock block(int partition, int map) {
    return new TestBlock(partition, map, 1000 + map, 0, BLOCK);
  }

  /** Pushes maps {@code [first, end)}, a block each. */
  private List<TestBlock> push(ShuffleKey shuffle, int partition, int first, int end) {
    TestPeer writer = peer();
    int handle = writer.open(shuffle, 5);
    List<TestBlock> blocks = new ArrayList<>();
    for (int map = first; map < end; map++) {
      TestBlock block = block(partition, map);
      fixture.push(writer, handle, block);
      fixture.finish(writer);
      blocks.add(block);
    }
    return blocks;
  }

  private TestPeer.Stream fetch(TestPeer peer, ShuffleKey shuffle, int partitions) {
    TestPeer.Stream stream = peer.fetch(peer.open(shuffle, 5), 0, partitions, 0, ALL, CREDIT);
    fixture.finish(peer);
    return stream;
  }

  /** Has readers of an application hold all that they may, of another shuffle. */
  private void exhaust(int application) {
    ShuffleKey shuffle = new ShuffleKey(ApplicationId.of(1, application), 9, 0);
    int maps = 25;
    push(shuffle, 0, 0, maps);
    for (int first = 0; first < maps; first += 4) {
      TestPeer peer = deaf();
      peer.fetch(peer.open(shuffle, 5), 0, 1, first, first + 4, CREDIT);
      fixture.finish(peer);
    }
    assertThat(core.leases().waiting()).isPositive();
  }

  private void drainAll() {
    boolean any = true;
    while (any) {
      any = false;
      for (TestPeer peer : peers) {
        any |= !peer.unsent.isEmpty();
        peer.drain();
        fixture.world.settle();
      }
    }
  }

  @Test
  void hundredsThatDoNotReadLeaveTheMemoryToWriters() {
    ShuffleKey shuffle = shuffleOf(2);
    TestPeer writer = peer();
    int handle = writer.open(shuffle, 5);
    List<TestPeer.Stream> streams = new ArrayList<>();
    int readersMax = 300;
    for (int i = 0; i < readersMax; i++) {
      // Each asks for what has just come, so that all that ever comes would be held.
      fixture.push(writer, handle, block(0, 2 * i));
      fixture.push(writer, handle, block(0, 2 * i + 1));
      writer.session.readComplete();
      TestPeer reader = deaf();
      streams.add(reader.fetch(reader.open(shuffle, 5), 0, 1, 2 * i, 2 * i + 2, CREDIT));
      // Before any flush gets to what has come.
      fixture.finish(reader);
      assertThat(core.leases().leased()).isLessThanOrEqualTo(core.leases().perApplication());
    }
    assertThat(writer.acked).hasSize(2 * readersMax);
    drainAll();
    for (int i = 0; i < readersMax; i++) {
      assertThat(streams.get(i).ended).isTrue();
      assertThat(streams.get(i).blocks())
          .containsExactlyInAnyOrder(block(0, 2 * i), block(0, 2 * i + 1));
    }
  }

  @Test
  void whoFindsNoRoomReadsWhatIsFlushedMeanwhileFromTheDisk() {
    ShuffleKey shuffle = shuffleOf(2);
    List<TestBlock> blocks = push(shuffle, 0, 0, 20);
    exhaust(2);
    List<TestPeer> waiting = peers.stream().filter(p -> !p.reads && p.unsent.isEmpty()).toList();
    TestPeer.Stream stream = fetch(peer(), shuffle, 1);
    assertThat(stream.ended).isFalse();
    CompletableFuture<Boolean> drained = core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
    assertThat(core.leases().waiting()).isZero();
    // The others have been told as well, and have the few read buffers now.
    waiting.forEach(TestPeer::close);
    peers.removeAll(waiting);
    fixture.world.settle();
    assertThat(stream.ended).isTrue();
    assertThat(stream.blocks()).containsExactlyInAnyOrderElementsOf(blocks);
    assertThat(core.leases().leased()).isPositive();
  }

  @Test
  void whatLiesOnADiskNeedsNoRoomAndGoesFirst() {
    ShuffleKey shuffle = shuffleOf(2);
    List<TestBlock> stored = push(shuffle, 1, 0, 10);
    CompletableFuture<Boolean> drained = core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
    peers.forEach(TestPeer::close);
    peers.clear();
    core = fixture.restarted();
    List<TestBlock> fresh = push(shuffle, 0, 100, 120);
    exhaust(2);
    TestPeer reader = peer();
    TestPeer.Stream stream = fetch(reader, shuffle, 2);
    assertThat(stream.ended).isFalse();
    assertThat(stream.wholeBlocks()).containsExactlyInAnyOrderElementsOf(stored);
    drainAll();
    assertThat(stream.ended).isTrue();
    assertThat(stream.blocks()).hasSize(stored.size() + fresh.size()).containsAll(fresh);
  }

  @Test
  void readersOfOneApplicationHoldUpNoOther() {
    List<TestBlock> others = push(shuffleOf(3), 0, 0, 10);
    exhaust(2);
    TestPeer.Stream stream = fetch(peer(), shuffleOf(3), 1);
    assertThat(stream.ended).isTrue();
    assertThat(stream.blocks()).containsExactlyInAnyOrderElementsOf(others);
  }

  @Test
  void whoHasWaitedGoesOnWhenOthersAreGone() {
    ShuffleKey shuffle = shuffleOf(2);
    List<TestBlock> blocks = push(shuffle, 0, 0, 20);
    exhaust(2);
    TestPeer reader = peer();
    TestPeer.Stream first = fetch(reader, shuffle, 1);
    TestPeer.Stream second = fetch(reader, shuffle, 1);
    TestPeer.Stream cancelled = fetch(reader, shuffle, 1);
    reader.cancel(cancelled);
    fixture.finish(reader);
    assertThat(first.ended).isFalse();
    peers.stream().filter(peer -> !peer.reads).forEach(TestPeer::close);
    peers.removeIf(peer -> !peer.reads);
    fixture.world.settle();
    assertThat(first.blocks()).containsExactlyInAnyOrderElementsOf(blocks);
    assertThat(second.blocks()).containsExactlyInAnyOrderElementsOf(blocks);
    assertThat(first.ended && second.ended).isTrue();
  }

  @Test
  void whoEndsALeaseHearsNothingOfALoopThatHasEnded() {
    ShuffleKey shuffle = shuffleOf(2);
    List<TestBlock> blocks = push(shuffle, 0, 0, 20);
    exhaust(2);
    AtomicBoolean ended = new AtomicBoolean();
    Executor loop = fixture.world.executor();
    TestPeer first =
        new TestPeer(
            core,
            task -> {
              if (ended.get()) {
                throw new RejectedExecutionException("ended");
              }
              loop.execute(task);
            });
    peers.add(first);
    TestPeer.Stream never = fetch(first, shuffle, 1);
    TestPeer.Stream other = fetch(peer(), shuffle, 1);
    assertThat(other.ended).isFalse();
    ended.set(true);
    peers.stream().filter(peer -> !peer.reads).forEach(TestPeer::close);
    peers.removeIf(peer -> !peer.reads);
    fixture.world.settle();
    assertThat(never.ended).isFalse();
    assertThat(other.ended).isTrue();
    assertThat(other.blocks()).containsExactlyInAnyOrderElementsOf(blocks);
  }

  @Test
  void aShuffleThatIsRemovedEndsTheWaitingForIt() {
    ShuffleKey shuffle = shuffleOf(2);
    push(shuffle, 0, 0, 20);
    exhaust(2);
    TestPeer.Stream stream = fetch(peer(), shuffle, 1);
    assertThat(stream.failure).isNull();
    core.shuffles().remove(shuffle);
    fixture.world.settle();
    assertThat(stream.failure).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
  }
}
