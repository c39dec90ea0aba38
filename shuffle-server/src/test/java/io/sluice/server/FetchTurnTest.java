package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.partition.Shuffle;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long fetches hold an event loop that others need. */
class FetchTurnTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final int STREAMS = 64;

  private final CoreFixture fixture = new CoreFixture(1, 32 * CoreFixture.MIB, 1);
  private final TestPeer peer = fixture.connect();
  private final int handle = peer.open(SHUFFLE, 5);

  private TestBlock push(int partition) {
    TestBlock block = new TestBlock(partition, 0, 1000, 0, 30);
    fixture.push(peer, handle, block);
    return block;
  }

  private TestPeer.Stream fetch(int end) {
    return peer.fetch(handle, 0, end, 0, Integer.MAX_VALUE, 1 << 20);
  }

  private static long ended(List<TestPeer.Stream> streams) {
    return streams.stream().filter(stream -> stream.ended).count();
  }

  @Test
  void fetchesOfPartitionsThatAreNotThereLeaveTheLoopToOthers() {
    push(Shuffle.MAX_PARTITIONS - 1);
    fixture.finish(peer);
    List<TestPeer.Stream> streams = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      streams.add(fetch(Shuffle.MAX_PARTITIONS - 1));
    }
    List<Long> endedBefore = new ArrayList<>();

    peer.session.readComplete();
    fixture.world.executor().execute(() -> endedBefore.add(ended(streams)));
    fixture.world.settle();

    // What somebody else asked of the loop in the meantime did not come last.
    assertThat(endedBefore).hasSize(1);
    assertThat(endedBefore.get(0)).isLessThan(STREAMS / 8);
    assertThat(ended(streams)).isEqualTo(STREAMS);
    assertThat(streams).allSatisfy(stream -> assertThat(stream.saidBlocks).isZero());
  }

  @Test
  void moreSmallPartitionsThanATurnHasAllArrive() {
    List<TestBlock> pushed = new ArrayList<>();
    for (int partition = 0; partition < 4_000; partition++) {
      pushed.add(push(3 * partition));
      fixture.finish(peer);
    }

    TestPeer.Stream all = fixture.fetchAll(peer, handle, 12_000);
    TestPeer.Stream none = peer.fetch(handle, 0, 12_000, 5, 6, 1);
    fixture.finish(peer);

    assertThat(all.blocks()).containsExactlyElementsOf(pushed);
    assertThat(all.saidBlocks).isEqualTo(4_000);
    assertThat(none.ended).isTrue();
    assertThat(none.saidBytes).isZero();
  }

  @Test
  void aFetchThatIsCancelledBetweenItsTurnsIsOver() {
    push(Shuffle.MAX_PARTITIONS - 1);
    fixture.finish(peer);
    TestPeer.Stream cancelled = fetch(Shuffle.MAX_PARTITIONS);
    peer.session.readComplete();
    peer.cancel(cancelled);
    TestPeer.Stream whole = fetch(Shuffle.MAX_PARTITIONS);
    peer.session.readComplete();
    fixture.world.settle();

    assertThat(cancelled.ended).isFalse();
    assertThat(cancelled.bytes()).isZero();
    assertThat(whole.blocks()).hasSize(1);
  }
}
