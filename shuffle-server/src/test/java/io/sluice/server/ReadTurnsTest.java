package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Who gets the read buffers of a disk when the streams of a connection want more than there are.
 */
class ReadTurnsTest {
  private static final int PARTITIONS = 4;
  private static final int STREAMS = 8;
  private static final int ROUNDS = 20;

  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1);
  private final TestPeer peer = fixture.connect();

  /** Lets one piece leave the socket, and whatever follows from that happen. */
  private void sendOne() {
    peer.unsent.remove().close();
    peer.session.writable();
    fixture.world.settle();
  }

  @Test
  void everyStreamGetsItsTurnHoweverManyBuffersTheOthersWant() {
    int handle = peer.open(CoreFixture.shuffle(1), 5);
    for (int i = 0; i < 400; i++) {
      fixture.push(peer, handle, new TestBlock(i % PARTITIONS, i, 1000 + i, 0, 20_000));
      fixture.finish(peer);
    }
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
    peer.reads = false;
    List<TestPeer.Stream> streams = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      streams.add(
          peer.fetch(handle, i % PARTITIONS, i % PARTITIONS + 1, 0, Integer.MAX_VALUE, 1L << 40));
    }
    fixture.finish(peer);

    for (int round = 0; round < ROUNDS; round++) {
      List<Long> before = streams.stream().map(TestPeer.Stream::bytes).toList();
      for (int piece = 0; piece < 2 * STREAMS; piece++) {
        sendOne();
      }
      for (int i = 0; i < STREAMS; i++) {
        assertThat(streams.get(i).bytes())
            .as("stream %d, round %d", i, round)
            .isGreaterThan(before.get(i));
      }
    }
    peer.close();
    fixture.world.settle();
    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();
  }

  @Test
  void aStreamReadsFarAheadWhileMoreThanHalfOfTheBuffersAreFree() {
    int buffers = 64;
    int handle = peer.open(CoreFixture.shuffle(1), 5);
    for (int i = 0; i < 400; i++) {
      fixture.push(peer, handle, new TestBlock(0, i, 1000 + i, 0, 20_000));
      fixture.finish(peer);
    }
    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.settle();
    assertThat(drained).isCompletedWithValue(true);
    ServerCore core = fixture.restarted(new CoreSettings.Reads(16 * 1024, buffers));

    List<TestPeer> peers = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      TestPeer reader = new TestPeer(core, fixture.world.executor());
      peers.add(reader);
      reader.reads = false;
      reader.fetch(reader.open(CoreFixture.shuffle(1), 5), 0, 1, 0, Integer.MAX_VALUE, 1L << 40);
      fixture.finish(reader);
      if (i == 0) {
        // Those in the socket's queue hold one each, too; the last of them made room for another.
        assertThat(core.readBuffers().inUse()).isEqualTo(reader.unsent.size() + 8 - 1);
      }
    }

    int sent = peers.stream().mapToInt(reader -> reader.unsent.size()).sum();
    assertThat(core.readBuffers().inUse())
        .isBetween(buffers / 2, buffers)
        .isLessThanOrEqualTo(sent + buffers / 2 + 2 * peers.size());
    peers.forEach(TestPeer::close);
    fixture.world.settle();
    assertThat(core.readBuffers().inUse()).isZero();
  }
}
