package io.sluice.common.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StopListTest {
  private final List<String> stopped = new ArrayList<>();
  private final StopList list = new StopList();

  private AutoCloseable part(String name) {
    return list.add(name, () -> stopped.add(name));
  }

  @Test
  void stopsInTheReverseOrderAndOnce() {
    part("disk");
    part("port");

    list.close();
    list.close();

    assertThat(stopped).containsExactly("port", "disk");
  }

  @Test
  void stopsTheOthersWhenOneFails() {
    part("disk");
    list.add(
        "wrong",
        () -> {
          throw new IOException("no");
        });
    part("port");

    list.close();

    assertThat(stopped).containsExactly("port", "disk");
  }

  @Test
  void stopsSomethingBeforeWhatCameSince() {
    AutoCloseable held = part("port");
    part("disk");
    list.stopFirst(held);
    part("page");

    list.close();

    assertThat(stopped).containsExactly("page", "port", "disk");
    assertThatThrownBy(() -> list.stopFirst(held)).isInstanceOf(IllegalArgumentException.class);
  }
}
