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
import java.util.Arrays;
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
 *   <li>{@value #LATENCIES}: heartbeats answered since it was last asked, of them failed, and the
 *       99th percentile of the time to the answer in microseconds
 * </ul>
 */
public final class CrowdProcess {
  public static final String SERVERS = "servers";
  public static final String APPLICATIONS = "applications";
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
  private final int port;

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
      case SERVERS -> grow(Integer.parseInt(words[1]), true);
      case APPLICATIONS -> grow(Integer.parseInt(words[1]), false);
      case LATENCIES -> tally.take();
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private String grow(int count, boolean servers) throws InterruptedException {
    Semaphore connecting = new Semaphore(CONNECTING_MAX);
    for (int i = 0; i < count; i++) {
      if (!connecting.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("only " + i + " were admitted");
      }
      Member member =
          servers
              ? new ReportingServer(channel(), i, timers, connecting::release)
              : new BeatingApplication(channel(), i, timers, tally, connecting::release);
      member.begin();
    }
    if (!connecting.tryAcquire(CONNECTING_MAX, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the last ones were not admitted");
    }
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
