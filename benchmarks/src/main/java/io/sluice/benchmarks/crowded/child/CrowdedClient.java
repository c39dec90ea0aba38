package io.sluice.benchmarks.crowded.child;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.benchmarks.child.CommandLoop;
import io.sluice.benchmarks.crowded.load.PressingLink;
import io.sluice.benchmarks.wire.load.FrameRing;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.Transport;
import io.sluice.transport.grpc.GrpcConnector;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyConnector;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process of clients. Arguments: the server's port, transport, bytes of a block, partitions.
 * Commands, with what they answer:
 *
 * <ul>
 *   <li>{@value #WRITE}, an application, connections, writers, frames in all: bytes, seconds, p50
 *       and p99 in nanoseconds, failures. Connects, pushes, disconnects.
 *   <li>{@value #PRESS}, applications, connections of each: nothing. From then on they push without
 *       end.
 *   <li>{@value #MEASURE}, an application, seconds, milliseconds: the same five figures, then bytes
 *       of each application that presses. One frame is pushed each so many milliseconds meanwhile.
 * </ul>
 */
public final class CrowdedClient implements AutoCloseable {
  public static final String WRITE = "write";
  public static final String PRESS = "press";
  public static final String MEASURE = "measure";

  private static final Logger log = LoggerFactory.getLogger(CrowdedClient.class);
  private static final long DEADLINE_SECONDS = 240;
  private static final int CONNECTING_MAX = 256;
  private static final int RING_BYTES = 128 << 20;
  private static final int WRITERS_OF_A_PROCESS = 16;
  private static final int WRITERS_OF_A_SMALL_ONE = 256;
  private static final double NANOS = 1e9;
  private static final double MEDIAN = 0.5;
  private static final double RARE = 0.99;

  private final PooledByteBufAllocator buffers = new PooledByteBufAllocator(true);
  private final ThreadScheduler timers =
      new ThreadScheduler(
          "bench-timer", Clock.system(), (thread, e) -> log.error("a timer failed", e));
  private final EventLoops loops = EventLoops.open("client", 1, buffers, Clock.system());
  private final int port;
  private final DataConnector connector;
  private final FrameRing ring;
  private final PressingLink.Totals pressTotals = new PressingLink.Totals();
  private final List<List<PressingLink>> pressing = new ArrayList<>();

  private CrowdedClient(String[] args) {
    port = Integer.parseInt(args[0]);
    ClientSettings settings =
        new ClientSettings(
            new UUID(1, 1), ClientAuthenticator.none(), ConnectionTimeouts.defaults());
    connector =
        Transport.valueOf(args[1]) == Transport.GRPC
            ? new GrpcConnector(loops, settings, Runnable::run)
            : new NettyConnector(loops, settings, Runnable::run);
    ring = new FrameRing(buffers, Integer.parseInt(args[2]), Integer.parseInt(args[3]), RING_BYTES);
  }

  public static void main(String[] args) throws Exception {
    try (CrowdedClient client = new CrowdedClient(args)) {
      CommandLoop.serve("", client::carryOut);
    }
  }

  /** What an application pushes to. */
  static ShuffleKey shuffle(int application) {
    return new ShuffleKey(ApplicationId.of(1, application), 0, 0);
  }

  private String carryOut(String[] words) throws Exception {
    int[] numbers = new int[words.length];
    for (int i = 1; i < words.length; i++) {
      numbers[i] = Integer.parseInt(words[i]);
    }
    switch (words[0]) {
      case WRITE -> {
        return write(numbers[1], numbers[2], numbers[3], numbers[4]);
      }
      case PRESS -> {
        press(numbers[1], numbers[2]);
        return "";
      }
      case MEASURE -> {
        return measure(numbers[1], numbers[2], numbers[3]);
      }
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private String write(int application, int connections, int writers, int frames) throws Exception {
    PressingLink.Totals totals = new PressingLink.Totals();
    int each = Math.max(1, writers / connections);
    List<PressingLink> links = connect(application, connections, each, totals);
    long began = Clock.system().nanoTime();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      long share = (long) frames * (i + 1) / connections - (long) frames * i / connections;
      if (share > 0) {
        links.get(i).push(share);
        ends.add(links.get(i).settled());
      }
    }
    await(ends);
    double seconds = (Clock.system().nanoTime() - began) / NANOS;
    String answer = figures(accepted(links), seconds, totals);
    close(links);
    return answer;
  }

  private void press(int applications, int connections) throws Exception {
    for (int app = 0; app < applications; app++) {
      pressing.add(connect(app, connections, WRITERS_OF_A_PROCESS, pressTotals));
    }
    pressing.forEach(links -> links.forEach(link -> link.push(Long.MAX_VALUE / 2)));
  }

  private String measure(int application, int seconds, int millis) throws Exception {
    PressingLink.Totals totals = new PressingLink.Totals();
    List<PressingLink> small = connect(application, 1, WRITERS_OF_A_SMALL_ONE, totals);
    List<Long> before = pressing.stream().map(CrowdedClient::accepted).toList();
    CompletableFuture<Void> over = new CompletableFuture<>();
    int frames = (int) (TimeUnit.SECONDS.toMillis(seconds) / millis);
    for (int i = 0; i < frames; i++) {
      timers.schedule(TimeUnit.MILLISECONDS.toNanos((long) i * millis), () -> small.get(0).push(1));
    }
    timers.schedule(TimeUnit.SECONDS.toNanos(seconds), () -> over.complete(null));
    over.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    List<Long> after = pressing.stream().map(CrowdedClient::accepted).toList();
    await(List.of(small.get(0).settled()));
    String answer = figures(accepted(small), seconds, totals);
    close(small);
    StringBuilder all = new StringBuilder(answer);
    for (int i = 0; i < before.size(); i++) {
      all.append(' ').append(after.get(i) - before.get(i));
    }
    return all.append(' ').append(pressTotals.failures().get()).toString();
  }

  private List<PressingLink> connect(
      int application, int connections, int writers, PressingLink.Totals totals) throws Exception {
    List<PressingLink> links = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      int first = (int) ((long) ring.size() * i / connections);
      PressingLink link = new PressingLink(ring, first, shuffle(application), writers, totals);
      links.add(link);
      connector.connect("127.0.0.1", port, CrowdedServer.IDENTITY.id(), link);
      if (links.size() % CONNECTING_MAX == 0 || i == connections - 1) {
        await(links.stream().map(PressingLink::opened).collect(Collectors.toList()));
      }
    }
    return links;
  }

  private static void await(List<CompletableFuture<Void>> all) throws Exception {
    CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static long accepted(List<PressingLink> links) {
    return links.stream().mapToLong(PressingLink::acceptedBytes).sum();
  }

  private static String figures(long bytes, double seconds, PressingLink.Totals totals) {
    return String.format(
        Locale.ROOT,
        "%d %.6f %d %d %d",
        bytes,
        seconds,
        totals.latencies().percentile(MEDIAN),
        totals.latencies().percentile(RARE),
        totals.failures().get());
  }

  private static void close(List<PressingLink> links) throws Exception {
    links.forEach(PressingLink::close);
    await(links.stream().map(PressingLink::ended).toList());
  }

  @Override
  public void close() {
    for (List<PressingLink> links : pressing) {
      links.forEach(PressingLink::close);
    }
    loops.close();
    timers.close();
    ring.close();
  }
}
