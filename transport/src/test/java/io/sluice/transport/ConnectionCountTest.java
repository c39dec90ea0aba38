package io.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ConnectionCountTest {
  private final ConnectionCount count = new ConnectionCount(2);

  @Test
  void thoseBeingTurnedAwayTakeNoPlaceThatBecomesFree() {
    assertThat(count.add()).isTrue();
    assertThat(count.add()).isTrue();
    assertThat(count.add()).isFalse();
    count.remove(true);
    assertThat(count.add()).isTrue();
    assertThat(count.add()).isFalse();
  }

  @Test
  void asManyAsAreServedAreToldThatTheyAreTooMany() {
    assertThat(count.add()).isTrue();
    assertThat(count.add()).isTrue();
    assertThat(count.isFull()).isFalse();
    assertThat(count.add()).isFalse();
    assertThat(count.isFull()).isFalse();
    assertThat(count.add()).isFalse();
    assertThat(count.isFull()).isTrue();
    count.remove(false);
    assertThat(count.isFull()).isFalse();
  }
}
