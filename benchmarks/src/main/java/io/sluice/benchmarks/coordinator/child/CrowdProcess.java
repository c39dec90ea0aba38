package io.sluice.benchmarks.coordinator.child;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.sluice.benchmarks.child.CommandLoop;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers and applications, each with a connection of its own, as real ones have. Argument: the
 * coordinator's port. Commands:
 *
 * <ul>
 *   <li>{@value #SERVERS}, a number: they say hello, and report from then on
 *   <li>{@value #APPLICATIONS}, a number: they register, and say from then on that they live
 *   <li>{@value #WATCH}, two numbers: so many applications place a shuffle of so many partitions
 *       each, and watch servers; answers when all have their first message
 *   <li>{@value #RESTART}, a number: so many servers say that they stop, and are back at once
 *   <li>{@value #RETURN}: all servers and watches break their streams and open them again, as they
 *       do when another coordinator leads
 *   <li>{@value #NEWS}: messages, events and bytes that watches got since it was last asked, and
 *       milliseconds from then to the last of them
 *   <li>{@value #LATENCIES}: heartbeats answered since it was last asked, of them failed, and the
 *       99th percentile of the time to the answer in microseconds
 * </ul>
 */
public final class CrowdProcess {
  public static final String SERVERS = "servers";
  public static final String APPLICATIONS = "applications";
  public static final String WATCH = "watch";
  public static final String RESTART = "restart";
  public static final String RETURN = "return";
  public static final String NEWS = "news";
  public static final String LATENCIES = "latencies";

  private static final Logger log = LoggerFactory.getLogger(CrowdProcess.class);
  private static final int CONNECTING_MAX = 64;
  private static final long PATIENCE_SECONDS = 200;
  private static final double RARE = 0.99;

  private final ThreadScheduler timers =
      new ThreadScheduler(
          "crowd", Clock.system(), (thread, e) -> log.error("a member of the crowd failed", e));
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Tally tally = new Tally();
  private final News news = new News();
  private final List<ReportingServer> servers = new ArrayList<>();
  private final List<BeatingApplication> applications = new ArrayList<>();
  private final Semaphore connecting = new Semaphore(CONNECTING_MAX);
  private final int port;
  private int watching;

  private CrowdProcess(int port) {
    this.port = port;
  }

  public static void main(String[] args) throws Exception {
    CrowdProcess crowd = new CrowdProcess(Integer.parseInt(args[0]));
    CommandLoop.serve("ready", crowd::run);
    System.exit(0);
  }

  private String run(String[] words) throws Exception {
    return switch (words[0]) {
      case SERVERS -> servers(Integer.parseInt(words[1]));
      case APPLICATIONS -> applications(Integer.parseInt(words[1]));
      case WATCH -> watch(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
      case RESTART -> restart(Integer.parseInt(words[1]));
      case RETURN -> comeBack();
      case NEWS -> news.take();
      case LATENCIES -> tally.take();
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private String servers(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      ReportingServer server = new ReportingServer(channel(), i, timers, connecting::release);
      servers.add(server);
      await(1);
      server.begin();
    }
    return all(count);
  }

  private String applications(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      BeatingApplication application =
          new BeatingApplication(channel(), i, timers, tally, connecting::release);
      applications.add(application);
      await(1);
      application.begin();
    }
    return all(count);
  }

  private String watch(int count, int partitions) throws InterruptedException {
    for (BeatingApplication application : applications.subList(0, count)) {
      await(1);
      application.watch(partitions, news, connecting::release);
    }
    watching = count;
    return all(count);
  }

  private String restart(int count) throws InterruptedException {
    for (ReportingServer server : servers.subList(0, count)) {
      await(1);
      server.restart();
    }
    return all(count);
  }

  /** Servers and applications in turn, as they find the next leader. */
  private String comeBack() throws InterruptedException {
    int most = Math.max(servers.size(), watching);
    for (int i = 0; i < most; i++) {
      if (i < servers.size()) {
        await(1);
        servers.get(i).comeBack();
      }
      if (i < watching) {
        await(1);
        applications.get(i).comeBack();
      }
    }
    return all(servers.size() + watching);
  }

  private void await(int places) throws InterruptedException {
    if (!connecting.tryAcquire(places, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("some were not answered in time");
    }
  }

  private String all(int count) throws InterruptedException {
    await(CONNECTING_MAX);
    connecting.release(CONNECTING_MAX);
    return Integer.toString(count);
  }

  private ManagedChannel channel() {
    return NettyChannelBuilder.forAddress("127.0.0.1", port)
        .usePlaintext()
        .eventLoopGroup(loops)
        .channelType(NioSocketChannel.class)
        .directExecutor()
        .disableRetry()
        .build();
  }

  /** One of the crowd. */
  interface Member {
    void begin();

    /** Breaks its streams and opens them again. */
    void comeBack();
  }

  /** What all watches heard. */
  static final class News {
    private long messages;
    private long events;
    private long bytes;
    private long since = Clock.system().nanoTime();
    private long last = since;

    synchronized void heard(int servers, int size) {
      messages++;
      events += servers;
      bytes += size;
      last = Clock.system().nanoTime();
    }

    synchronized String take() {
      long millis = TimeUnit.NANOSECONDS.toMillis(last - since);
      String taken = messages + " " + events + " " + bytes + " " + millis;
      messages = 0;
      events = 0;
      bytes = 0;
      since = Clock.system().nanoTime();
      last = since;
      return taken;
    }
  }

  /** How long answers took. */
  static final class Tally {
    private static final int MAX = 1 << 20;

    private final long[] micros = new long[MAX];
    private int count;
    private long failed;

    synchronized void answered(long nanos, boolean well) {
      failed += well ? 0 : 1;
      if (count < MAX) {
        micros[count++] = TimeUnit.NANOSECONDS.toMicros(nanos);
      }
    }

    synchronized String take() {
      long[] sorted = Arrays.copyOf(micros, count);
      Arrays.sort(sorted);
      long p99 = count == 0 ? 0 : sorted[(int) Math.min(count - 1L, (long) (count * RARE))];
      String taken = count + " " + failed + " " + p99;
      count = 0;
      failed = 0;
      return taken;
    }
  }
}
