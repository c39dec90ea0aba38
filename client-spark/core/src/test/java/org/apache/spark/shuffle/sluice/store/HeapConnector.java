package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.PlacedServer;
import io.sluice.client.connection.Connector;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ServerIdentity;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Connections to what is in the heap, whatever server is asked for; one thread is their loop. */
final class HeapConnector implements Connector {
  private static final int MAX_BLOCK_BYTES = 16 << 20;
  private static final int SEED = 64 * 1024;

  private final HeapShuffleStore heap;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread made = new Thread(work, "heap-loop");
            made.setDaemon(true);
            return made;
          });
  private final Scheduler loop = new Loop();

  HeapConnector(HeapShuffleStore heap) {
    this.heap = heap;
  }

  @Override
  public Scheduler loop() {
    return loop;
  }

  @Override
  public void connect(Scheduler on, PlacedServer server, ClientSession session) {
    ServerIdentity identity = new ServerIdentity(server.id(), server.incarnation());
    HeapLink link = new HeapLink(heap, loop, session);
    loop.execute(() -> session.connected(link, identity, SEED, MAX_BLOCK_BYTES));
  }

  @Override
  public void close() {
    thread.shutdown();
  }

  private final class Loop implements Scheduler {
    @Override
    public Clock clock() {
      return Clock.system();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
      Future<?> pending = thread.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
      return () -> pending.cancel(false);
    }

    @Override
    public void execute(Runnable task) {
      thread.execute(task);
    }
  }
}
