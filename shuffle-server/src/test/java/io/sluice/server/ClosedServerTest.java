package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process may have many servers one after the other: tests, and quick starts. */
@Timeout(60)
final class ClosedServerTest {
  private static final int COLLECTIONS = 30;

  @Test
  void keepsNoMemory() throws Exception {
    ReferenceQueue<ServerCore> collected = new ReferenceQueue<>();

    Reference<ServerCore> core = startAndClose(collected);

    Reference<?> found = null;
    for (int i = 0; i < COLLECTIONS && found == null; i++) {
      System.gc();
      found = collected.remove(1_000);
    }
    assertThat(found).isSameAs(core);
  }

  private static Reference<ServerCore> startAndClose(ReferenceQueue<ServerCore> collected)
      throws IOException {
    try (RealServer server = RealServer.open(16)) {
      return new WeakReference<>(server.core(), collected);
    }
  }
}
