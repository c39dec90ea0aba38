package io.sluice.benchmarks.wire.load;

import io.sluice.benchmarks.wire.Moved;
import io.sluice.benchmarks.wire.Usage;
import io.sluice.benchmarks.wire.WireCase;
import io.sluice.common.time.Clock;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.netty.DataConnector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** All connections of a turn. One thread's. */
public final class WireLoad implements AutoCloseable {
  private static final long DEADLINE_SECONDS = 90;
  private static final double NANOS = 1e9;
  private static final double MEDIAN = 0.5;
  private static final double RARE = 0.99;

  private final WireCase shape;
  private final FrameRing ring;
  private final List<WireLink> links = new ArrayList<>();
  private long pushed;

  /**
   * @param ring lives longer
   */
  public WireLoad(WireCase shape, FrameRing ring) {
    this.shape = shape;
    this.ring = ring;
  }

  /** Opens the connections. */
  public void connect(DataConnector connector, int port, ServerIdentity server, int shuffle)
      throws ExecutionException, InterruptedException, TimeoutException {
    int connections = shape.connections();
    for (int i = 0; i < connections; i++) {
      WireLink.Range range =
          new WireLink.Range(
              WireShuffle.PARTITIONS * i / connections,
              WireShuffle.PARTITIONS * (i + 1) / connections);
      WireLink link = new WireLink(ring, ring.size() * i / connections, range, shuffle);
      links.add(link);
      connector.connect("127.0.0.1", port, server.id(), link);
    }
    for (WireLink link : links) {
      link.opened().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Pushes what the case says, in whole frames, as many on each connection. */
  public Moved push() throws ExecutionException, InterruptedException, TimeoutException {
    long each = shape.bytes() / ring.frameBytes() / shape.connections() + 1;
    Moved moved = timed(link -> link.push(each));
    pushed += moved.bytes();
    return moved;
  }

  /**
   * Fetches all that was pushed.
   *
   * @throws IllegalStateException if it is more or less than that
   */
  public Moved fetch() throws ExecutionException, InterruptedException, TimeoutException {
    Moved moved = timed(WireLink::fetch);
    if (moved.bytes() != pushed) {
      throw new IllegalStateException("pushed " + pushed + " bytes, fetched " + moved.bytes());
    }
    return moved;
  }

  private Moved timed(Function<WireLink, CompletableFuture<Long>> what)
      throws ExecutionException, InterruptedException, TimeoutException {
    Usage before = Usage.now();
    long began = Clock.system().nanoTime();
    List<CompletableFuture<Long>> answers = links.stream().map(what).toList();
    long bytes = 0;
    for (CompletableFuture<Long> answer : answers) {
      bytes += answer.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
    double seconds = (Clock.system().nanoTime() - began) / NANOS;
    Usage used = Usage.now().since(before);
    Latencies all = new Latencies();
    links.forEach(link -> all.addAll(link.latencies()));
    return new Moved(bytes, seconds, all.percentile(MEDIAN), all.percentile(RARE), used);
  }

  /** Ends the connections and waits for their ends. */
  @Override
  public void close() {
    links.forEach(WireLink::close);
    CompletableFuture.allOf(
            links.stream().map(WireLink::ended).toArray(CompletableFuture<?>[]::new))
        .orTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .join();
  }
}
