package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ShuffleKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** A connection of a core, and the event loop that it has to itself: a real thread. */
final class LoopClient {
  /** Of the server that its handles are for. */
  static final long INCARNATION = 5;

  static final int PATIENCE_SECONDS = 60;

  private final ExecutorService loop;
  private final TestPeer peer;

  LoopClient(ServerCore core, ThreadFactory threads) throws Exception {
    loop = Executors.newSingleThreadExecutor(threads);
    peer = get(CompletableFuture.supplyAsync(() -> new TestPeer(core, loop), loop));
  }

  static <T> T get(Future<T> future) throws Exception {
    return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  ExecutorService loop() {
    return loop;
  }

  /** To be used on the loop. */
  TestPeer peer() {
    return peer;
  }

  /** Ends the connection; the loop goes on for what is still said to it. */
  void close() throws Exception {
    get(CompletableFuture.runAsync(peer::close, loop));
  }

  /** Pushes with the credit there is, some blocks in parts; fails unless all are acknowledged. */
  Future<?> push(ShuffleKey shuffle, List<TestBlock> blocks) {
    return loop.submit(() -> pushNow(peer.open(shuffle, INCARNATION), blocks));
  }

  private void pushNow(int handle, List<TestBlock> blocks) {
    int acked = peer.acked.size();
    for (TestBlock block : blocks) {
      boolean sent =
          block.map() % 3 == 0 ? peer.pushInParts(handle, block, 4_000) : peer.push(handle, block);
      assertThat(sent).as("credit for %s", block).isTrue();
      peer.session.readComplete();
    }
    assertThat(peer.nacked).isEmpty();
    assertThat(peer.acked.subList(acked, peer.acked.size())).isEqualTo(blocks);
  }
}
