package io.sluice.coordinator.grpc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
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

  private ConnectionLimit.@Nullable Place add(String address) {
    return limit.add(address(address));
  }

  private ConnectionLimit.Place letIn(String address) {
    ConnectionLimit.Place place = requireNonNull(add(address));
    place.letIn();
    return place;
  }

  @Test
  void oneAddressDoesNotTakeAllPlaces() {
    ConnectionLimit.Place first = letIn("10.0.0.1");
    letIn("10.0.0.1");
    assertThat(add("10.0.0.1")).isNull();
    letIn("10.0.0.2");

    first.close();
    first.close();
    letIn("10.0.0.1");
    assertThat(add("10.0.0.1")).isNull();
  }

  @Test
  void allTogetherHaveALimitAndWhoIsTurnedAwayTakesNoPlace() {
    ConnectionLimit.Place last = letIn("10.0.0.1");
    for (int i = 2; i <= 5; i++) {
      last = letIn("10.0.0." + i);
    }
    for (int i = 1; i <= 5; i++) {
      assertThat(add("10.0.1." + i)).isNull();
    }
    last.close();
    letIn("10.0.1.1");
    assertThat(add("10.0.1.2")).isNull();
  }

  @Test
  void aNetworkOfOneHostIsOneAddress() {
    letIn("2001:db8:0:1::1");
    letIn("2001:db8:0:1::2");
    assertThat(add("2001:db8:0:1:ffff::3")).isNull();
    letIn("2001:db8:0:2::1");
  }

  /** Each address has half of what the others have left. */
  @Test
  void someThatMakeNoCallDoNotTakeAllPlaces() {
    ConnectionLimit large = new ConnectionLimit(1_000, 500);
    long all = 0;
    for (int host = 1; host <= 4; host++) {
      InetAddress silent = address("10.0.0." + host);
      while (large.add(silent) != null) {
        all++;
      }
    }
    assertThat(all).isBetween(930L, 940L);
    InetAddress honest = address("10.0.1.1");
    for (int i = 0; i < 50; i++) {
      requireNonNull(large.add(honest)).letIn();
    }
  }
}
