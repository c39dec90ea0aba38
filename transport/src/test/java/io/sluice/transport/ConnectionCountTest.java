package io.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
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

  @Test
  void oneAddressHasAQuarterOfThePlacesForNewcomers() throws Exception {
    ConnectionCount many = new ConnectionCount(100);
    InetAddress one = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    List<Runnable> newcomers = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      newcomers.add(many.newcomer(new InetSocketAddress(one, 1000 + i)));
    }
    assertThat(newcomers).doesNotContainNull();
    assertThat(many.newcomer(new InetSocketAddress(one, 2000))).isNull();
    InetAddress other = InetAddress.getByAddress(new byte[] {10, 0, 0, 2});
    assertThat(many.newcomer(new InetSocketAddress(other, 1000))).isNotNull();
    newcomers.get(0).run();
    newcomers.get(0).run();
    assertThat(many.newcomer(new InetSocketAddress(one, 2000))).isNotNull();
    assertThat(many.newcomer(new InetSocketAddress(one, 2001))).isNull();
  }
}
