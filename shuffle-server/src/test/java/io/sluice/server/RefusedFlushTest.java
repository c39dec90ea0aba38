package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class RefusedFlushTest {
  private final CoreFixture fixture = new CoreFixture(1, 4 * CoreFixture.MIB, 1);
  private boolean refuses = true;

  @Test
  void aWakeThatWasRefusedDoesNotKeepLaterOnesFromFlushing() {
    Executor threads = fixture.world.executor();
    ServerCore core =
        fixture.restarted(
            task -> {
              if (refuses) {
                throw new RejectedExecutionException("told to refuse");
              }
              threads.execute(task);
            });
    TestPeer peer = new TestPeer(core, fixture.world.executor());
    int handle = peer.open(CoreFixture.shuffle(1), fixture.identity.incarnation());
    fixture.push(peer, handle, new TestBlock(0, 0, 0, 0, 1_000));
    fixture.finish(peer);

    CompletableFuture<Boolean> refused = core.drain();
    fixture.world.settle();
    assertThat(refused).isNotDone();
    refuses = false;
    CompletableFuture<Boolean> drained = core.drain();
    fixture.world.settle();

    assertThat(drained).isCompletedWithValue(true);
    assertThat(fixture.stores.get(0).units).hasSize(1);
  }
}
