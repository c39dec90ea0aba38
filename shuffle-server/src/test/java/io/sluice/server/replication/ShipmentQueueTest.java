package io.sluice.server.replication;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShipmentQueueTest {
  private final BatchFixture batches = new BatchFixture();
  private final BatchFixture.Way way = new BatchFixture.Way(batches.members.get(0));
  private final ShipmentQueue queue = new ShipmentQueue(new ReplicaStats());

  private Shipment shipment() {
    ReplicaBatch batch = batches.batch(AckRule.ALL);
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
}
