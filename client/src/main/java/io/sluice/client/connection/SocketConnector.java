package io.sluice.client.connection;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.sluice.client.ClientConfig;
import io.sluice.client.ClientSecurity;
import io.sluice.client.PlacedServer;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.lifecycle.OwnThreads;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.common.tls.TlsMaterial;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.Transport;
import io.sluice.transport.grpc.GrpcConnector;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.LoopScheduler;
import io.sluice.transport.netty.NettyConnector;
import io.sluice.transport.session.ClientSettings;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections over sockets. Owns the event loops and the threads that look names up. */
public final class SocketConnector implements Connector {
  private static final Logger log = LoggerFactory.getLogger(SocketConnector.class);

  // A name whose DNS server is silent holds a thread; so many may, before others have to wait.
  private static final int LOOKUP_THREADS = 4;

  // Names that wait; a name is looked up once at a time, so this is a number of servers.
  private static final int MAX_LOOKUPS = 1024;

  private final EventLoops loops;
  private final Clock clock;
  private final ThreadPoolExecutor nameLookups;
  private final Transport transport;
  private final DataConnector connector;

  private SocketConnector(
      EventLoops loops,
      Clock clock,
      ThreadPoolExecutor nameLookups,
      Transport transport,
      DataConnector connector) {
    this.loops = loops;
    this.clock = clock;
    this.nameLookups = nameLookups;
    this.transport = transport;
    this.connector = connector;
  }

  /** Starts event loops; {@link #close} ends them. */
  public static SocketConnector open(
      ClientConfig config, ClientSecurity security, ByteBufAllocator allocator, Clock clock) {
    ConnectionTimeouts usual = ConnectionTimeouts.defaults();
    ClientSettings settings =
        new ClientSettings(
            UUID.randomUUID(),
            security.identity(),
            new ConnectionTimeouts(
                config.connectTimeout().toNanos(),
                Math.min(usual.idleNanos(), config.suspectAfter().toNanos() / 3),
                usual.answerNanos(),
                usual.frameNanos(),
                usual.closeNanos()),
            security.tls());
    EventLoops loops = EventLoops.open("sluice-client", config.eventLoops(), allocator, clock);
    ThreadPoolExecutor nameLookups =
        new ThreadPoolExecutor(
            LOOKUP_THREADS,
            LOOKUP_THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_LOOKUPS),
            task -> {
              Thread thread = OwnThreads.daemon("sluice-client-names", task);
              // Spark's own handler would end the executor.
              thread.setUncaughtExceptionHandler(
                  (dying, failure) -> log.error("A task of {} failed", dying.getName(), failure));
              return thread;
            });
    nameLookups.allowCoreThreadTimeOut(true);
    boolean complete = false;
    try {
      DataConnector connector = connector(config.transport(), loops, settings, nameLookups);
      security.tls().ifPresent(tls -> watch(tls.material(), loops.next(), nameLookups));
      complete = true;
      return new SocketConnector(loops, clock, nameLookups, config.transport(), connector);
    } finally {
      if (!complete) { // Such as TLS that cannot be used here.
        loops.close();
      }
    }
  }

  /** Files are read where blocking harms nobody; one look is skipped if all threads are busy. */
  private static void watch(TlsMaterial certificates, EventLoop timer, Executor threads) {
    Future<?> unused =
        timer.scheduleWithFixedDelay(
            () -> {
              try {
                threads.execute(certificates::reload);
              } catch (RejectedExecutionException busy) {
                log.debug("certificates are looked at the next time", busy);
              }
            },
            TlsMaterial.CHECK_SECONDS,
            TlsMaterial.CHECK_SECONDS,
            TimeUnit.SECONDS);
  }

  private static DataConnector connector(
      Transport transport, EventLoops loops, ClientSettings settings, Executor nameLookups) {
    switch (transport) {
      case NETTY:
        return new NettyConnector(loops, settings, nameLookups);
      case GRPC:
        return new GrpcConnector(loops, settings, nameLookups);
    }
    throw new AssertionError(transport);
  }

  @Override
  public Scheduler loop() {
    return new LoopScheduler(loops.next(), clock);
  }

  @Override
  public void connect(Scheduler loop, PlacedServer server, ClientSession session) {
    int port = transport == Transport.GRPC ? server.grpcPort() : server.port();
    if (port == 0) {
      loop.execute(() -> session.closed(notOffered(server)));
      return;
    }
    connector.connect(((LoopScheduler) loop).loop(), server.host(), port, server.id(), session);
  }

  private static SluiceException notOffered(PlacedServer server) {
    return new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        "server " + server + " does not speak gRPC: set server.grpc.port there, or use netty");
  }

  @Override
  public void close() {
    nameLookups.shutdown();
    loops.close();
  }
}
