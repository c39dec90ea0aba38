package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.World;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiskFenceListenerTest {
  private final DiskFence fence = new DiskFence("disk", new World(1), 1);
  private final List<String> told = new ArrayList<>();

  @Test
  void tellsOfEachChangeWhenItHoldsNoLock() {
    fence.onChange(
        () -> told.add(fence.current().healthy() + " locked " + Thread.holdsLock(fence)));

    fence.writeFailed(new IOException("broken"));
    fence.writeFailed(new IOException("still broken"));
    fence.probePassed();
    fence.probePassed();
    fence.stalled(1);
    fence.returned();
    // Fenced again so soon, it needs two.
    fence.writeSucceeded();
    fence.writeSucceeded();
    for (int place = 0; place < 5; place++) {
      fence.readFailed(place, new IOException("unreadable"));
    }

    assertThat(told)
        .containsExactly(
            "false locked false",
            "true locked false",
            "false locked false",
            "true locked false",
            "false locked false");
  }

  @Test
  void tellsWhenAFencedDiskIsNotToBeReadAnyMoreEither() {
    fence.onChange(() -> told.add(fence.current().readable() ? "readable" : "hangs"));

    fence.writeFailed(new IOException("broken"));
    fence.stalled(1);
    fence.stalled(2);
    fence.writeFailed(new IOException("broken"));
    fence.returned();
    fence.writeFailed(new IOException("broken"));
    fence.stalled(1);

    assertThat(told).containsExactly("readable", "hangs", "hangs");
  }
}
