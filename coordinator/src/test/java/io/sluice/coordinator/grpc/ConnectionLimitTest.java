package io.sluice.coordinator.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class ConnectionLimitTest {
  private final ConnectionLimit limit = new ConnectionLimit(5, 2);

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void oneAddressDoesNotTakeAllPlaces() {
    assertThat(limit.add(address("10.0.0.1"))).isTrue();
    assertThat(limit.add(address("10.0.0.1"))).isTrue();
    assertThat(limit.add(address("10.0.0.1"))).isFalse();
    assertThat(limit.add(address("10.0.0.2"))).isTrue();

    limit.remove(address("10.0.0.1"));
    assertThat(limit.add(address("10.0.0.1"))).isTrue();
    assertThat(limit.add(address("10.0.0.1"))).isFalse();
  }

  @Test
  void allTogetherHaveALimitAndWhoIsTurnedAwayTakesNoPlace() {
    for (int i = 1; i <= 5; i++) {
      assertThat(limit.add(address("10.0.0." + i))).isTrue();
    }
    for (int i = 1; i <= 5; i++) {
      assertThat(limit.add(address("10.0.1." + i))).isFalse();
    }
    limit.remove(address("10.0.0.5"));
    assertThat(limit.add(address("10.0.1.1"))).isTrue();
    assertThat(limit.add(address("10.0.1.2"))).isFalse();
  }

  @Test
  void aNetworkOfOneHostIsOneAddress() {
    assertThat(limit.add(address("2001:db8:0:1::1"))).isTrue();
    assertThat(limit.add(address("2001:db8:0:1::2"))).isTrue();
    assertThat(limit.add(address("2001:db8:0:1:ffff::3"))).isFalse();
    assertThat(limit.add(address("2001:db8:0:2::1"))).isTrue();
  }
}
