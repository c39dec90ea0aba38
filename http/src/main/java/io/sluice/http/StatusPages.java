package io.sluice.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslContext;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.error.CannotListenException;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsContexts;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * {@code /metrics} (every format Prometheus asks for), {@code /health/live} and {@code
 * /health/ready}: 200, or 503 with the reason; and what a process has besides, its {@link Site}.
 * Before {@link #serve} all pages answer 503.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
public final class StatusPages implements AutoCloseable {
  /** From the first byte of a request to its last. Probes and scrapes send theirs at once. */
  static final int REQUEST_SECONDS = 10;

  /** How long a connection may be kept without a request: longer than usual scrape intervals. */
  static final int IDLE_SECONDS = 120;

  /** Connections held at once; one more ends the one that has been open longest. */
  static final int CONNECTIONS = 128;

  private static final int WAITING_REQUESTS = 64;

  /** Of a request, in bytes: with all connections together 8 MiB. */
  public static final int MAX_BODY = 64 << 10;

  private static final int GOODBYE_SECONDS = 5;

  private final MultiThreadIoEventLoopGroup loop;
  private final ThreadPoolExecutor worker;
  private final Pages pages;
  private final Open open;
  private final int port;

  private StatusPages(
      MultiThreadIoEventLoopGroup loop, ThreadPoolExecutor worker, Pages pages, Open open) {
    this.loop = loop;
    this.worker = worker;
    this.pages = pages;
    this.open = open;
    this.port = ((InetSocketAddress) open.listener.localAddress()).getPort();
  }

  /** What has to be closed. */
  private record Open(Channel listener, Connections connections) {}

  /**
   * Takes the port.
   *
   * @param setting the configuration key of the port, to name it in the error
   * @throws CannotListenException if the address cannot be had; then nothing is left running
   */
  public static StatusPages bind(InetSocketAddress address, String setting) {
    return bind(address, setting, REQUEST_SECONDS, Optional.empty());
  }

  /** The same, encrypted where there is something to do so with. */
  public static StatusPages bind(InetSocketAddress address, String setting, Optional<Tls> tls) {
    return bind(address, setting, REQUEST_SECONDS, tls);
  }

  static StatusPages bind(InetSocketAddress address, String setting, int requestSeconds) {
    return bind(address, setting, requestSeconds, Optional.empty());
  }

  private static StatusPages bind(
      InetSocketAddress address, String setting, int requestSeconds, Optional<Tls> tls) {
    Optional<SslContext> encryption = tls.map(TlsContexts::server);
    ThreadFactory threads = task -> daemon(task, "sluice-http");
    MultiThreadIoEventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(1, threads, NioIoHandler.newFactory());
    ThreadPoolExecutor worker =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_REQUESTS),
            task -> daemon(task, "sluice-http-pages"));
    Pages pages = new Pages();
    Connections connections = new Connections(CONNECTIONS);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(connections);
                    // Before the deadline, which then also counts what a handshake takes.
                    encryption.ifPresent(
                        context -> channel.pipeline().addLast(context.newHandler(channel.alloc())));
                    tls.ifPresent(encrypted -> encrypted.refused().watch(channel));
                    channel
                        .pipeline()
                        .addLast(new RequestDeadline(requestSeconds, IDLE_SECONDS))
                        .addLast(new HttpServerCodec())
                        .addLast(new WholeRequests(MAX_BODY))
                        // What is read together is still asked one after the other.
                        .addLast(new FlowControlHandler())
                        .addLast(new PageHandler(pages, worker));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      stop(loop, worker);
      throw CannotListenException.of(address, bound.cause()).chosenBy(setting);
    }
    return new StatusPages(loop, worker, pages, new Open(bound.channel(), connections));
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /** From now on the pages have something to say. */
  public void serve(PrometheusRegistry metrics, Health health) {
    serve(metrics, health, Site.NONE);
  }

  /** The same, with more to say. */
  public void serve(PrometheusRegistry metrics, Health health, Site site) {
    pages.fill(metrics, health, site);
  }

  public int port() {
    return port;
  }

  @Override
  public void close() {
    // One by one: a loop that is told to end without a quiet period may leave channels open.
    open.listener.close().awaitUninterruptibly();
    loop.submit(open.connections::closeAll).awaitUninterruptibly();
    stop(loop, worker);
  }

  private static void stop(MultiThreadIoEventLoopGroup loop, ThreadPoolExecutor worker) {
    worker.shutdown();
    loop.shutdownGracefully(0, GOODBYE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
