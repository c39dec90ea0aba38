package io.sluice.server.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ClientLink;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class ShipmentQueueTest {
  private final BatchFixture batches = new BatchFixture();
  private final BatchFixture.Way way = new BatchFixture.Way(batches.members.get(0));
  private final ShipmentQueue queue = new ShipmentQueue(new ReplicaStats());
  private final Link link = new Link();

  private Shipment shipment() {
    return shipment(batches.batch(AckRule.ALL));
  }

  private Shipment shipment(ReplicaBatch batch) {
    batch.carriedBy(way);
    return new Shipment(batch, batches.members.get(0), way, new ReplicaStats());
  }

  @Test
  void whatComesAfterItsShuffleWasRemovedFailsAtOnce() {
    Shipment late = shipment();
    batches.removeShuffle();
    queue.add(late);

    assertThat(late.isSettled()).isTrue();
    assertThat(queue.isIdle()).isTrue();
  }

  @Test
  void whatWaitsWhenItsShuffleIsRemovedFailsAndTheRestStays() {
    Shipment removed = shipment();
    queue.add(removed);
    batches.removeShuffle();
    Shipment other = shipment();
    queue.add(other);
    queue.failRemoved();

    assertThat(removed.isSettled()).isTrue();
    assertThat(other.isSettled()).isFalse();
    assertThat(queue.isIdle()).isFalse();
  }

  @Test
  void whatIsToBeSentAgainIsNotIfItsShuffleWasRemovedMeanwhile() {
    Shipment lost = shipment();
    queue.add(lost);
    batches.removeShuffle();
    queue.disconnected();

    assertThat(lost.isSettled()).isTrue();
    assertThat(queue.isIdle()).isTrue();
  }

  @Test
  void applicationsTakeTurnsHoweverMuchWaitsOfEach() {
    Shipment[] ofMany = {shipment(), shipment(), shipment()};
    for (Shipment shipment : ofMany) {
      queue.add(shipment);
    }
    Shipment ofOne = shipment(batches.batchOf(ApplicationId.of(9, 9)));
    queue.add(ofOne);
    queue.connected(1 << 20);

    link.room = 2;
    queue.pump(link);
    assertThat(ofMany[0].isFullySent()).isTrue();
    assertThat(ofOne.isFullySent()).as("does not wait for all of the other's").isTrue();
    assertThat(ofMany[1].isUnsent()).isTrue();

    link.room = 2;
    queue.pump(link);
    queue.answered(0, 4, 0, null);
    assertThat(queue.isIdle()).isTrue();
    assertThat(List.of(ofMany)).allMatch(Shipment::isSettled);
  }

  @Test
  void aBlockThatIsAnsweredTwiceStandsForNoOther() {
    Shipment shipment = shipment(batches.batchOfTwo());
    queue.add(shipment);
    queue.connected(1 << 20);
    link.room = 1;
    queue.pump(link);
    queue.answered(1, 1, 0, null);

    assertThatThrownBy(() -> queue.answered(1, 1, 0, null))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNEXPECTED_FRAME));
    assertThat(shipment.isSettled()).isFalse();

    queue.answered(0, 1, 0, null);
    assertThat(shipment.isSettled()).isTrue();
  }

  @Test
  void whatALostConnectionLeftUnansweredIsSentAgainFirst() {
    Shipment first = shipment();
    Shipment second = shipment();
    queue.add(first);
    queue.add(second);
    queue.connected(1 << 20);
    link.room = 1;
    queue.pump(link);
    queue.disconnected();
    queue.connected(1 << 20);

    link.room = 1;
    queue.pump(link);
    assertThat(first.isFullySent()).isTrue();
    assertThat(second.isUnsent()).isTrue();
  }

  /** Takes so many pushes. */
  private static final class Link implements ClientLink {
    private int room;

    @Override
    public boolean isWritable() {
      return room > 0;
    }

    @Override
    public void push(int handle, int blockCount, OutgoingData blocks) {
      room--;
      blocks.close();
    }

    @Override
    public void push(int handle, int blockCount, ByteBuf blocks) {
      throw new IllegalStateException("no copies");
    }

    @Override
    public Executor executor() {
      return Runnable::run;
    }

    @Override
    public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> to) {}

    @Override
    public int maxHandles() {
      return 10;
    }

    @Override
    public void release(int handle) {}

    @Override
    public void want(long bytes) {}

    @Override
    public void returnCredit(long bytes) {}

    @Override
    public void fetch(FetchRequest request) {}

    @Override
    public void fetchCredit(int stream, long bytes) {}

    @Override
    public void fetchCancel(int stream) {}

    @Override
    public void damaged(int stream, DamagedBlock block) {}

    @Override
    public void flush() {}

    @Override
    public void close() {}

    @Override
    public void abort(SluiceException cause) {}
  }
}
