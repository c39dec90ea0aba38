package io.sluice.server;

import io.sluice.common.id.ServerId;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Scheduler;
import io.sluice.server.replication.PeerConnector;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.Principal;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.auth.Credentials;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.LoopScheduler;
import io.sluice.transport.netty.NettyConnector;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Reaches other servers over plain sockets, on the event loops that serve clients; whatever clients
 * speak, servers of one cluster reach each other so. Owns the threads that look names up.
 */
final class SocketPeers implements PeerConnector, AutoCloseable {
  /** After so much silence a member is left for another one. */
  private static final long SILENCE_NANOS = Duration.ofSeconds(5).toNanos();

  // A name whose DNS server is silent holds a thread; a name is looked up once at a time.
  private static final int LOOKUP_THREADS = 2;
  private static final int MAX_LOOKUPS = 1024;

  private final EventLoops loops;
  private final ThreadPoolExecutor nameLookups;
  private final DataConnector connector;
  private final boolean encrypted;

  private SocketPeers(
      EventLoops loops,
      ThreadPoolExecutor nameLookups,
      DataConnector connector,
      boolean encrypted) {
    this.loops = loops;
    this.nameLookups = nameLookups;
    this.connector = connector;
    this.encrypted = encrypted;
  }

  /**
   * @param self whom to say that one is, and to prove as a member of the cluster where that is
   *     asked
   */
  static SocketPeers of(EventLoops loops, ServerId self, SecurityConfig security) {
    ConnectionTimeouts usual = ConnectionTimeouts.defaults();
    ConnectionTimeouts timeouts =
        new ConnectionTimeouts(
            SILENCE_NANOS,
            SILENCE_NANOS / 3,
            SILENCE_NANOS - SILENCE_NANOS / 3,
            usual.frameNanos(),
            usual.closeNanos());
    ClientSettings settings =
        new ClientSettings(
            UUID.randomUUID(), authenticator(self, security), timeouts, security.tls(), self);
    ThreadPoolExecutor lookups =
        new ThreadPoolExecutor(
            LOOKUP_THREADS,
            LOOKUP_THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_LOOKUPS),
            task -> {
              Thread thread = new Thread(task, "sluice-peer-names");
              thread.setDaemon(true);
              return thread;
            });
    lookups.allowCoreThreadTimeOut(true);
    return new SocketPeers(
        loops, lookups, new NettyConnector(loops, settings, lookups), security.tls().isPresent());
  }

  private static ClientAuthenticator authenticator(ServerId self, SecurityConfig security) {
    return security
        .clusterKey()
        .<ClientAuthenticator>map(key -> Credentials.ofMember(self, key))
        .orElseGet(ClientAuthenticator::none);
  }

  @Override
  public Scheduler loop() {
    return new LoopScheduler(loops.next(), loops.clock());
  }

  @Override
  public void connect(Scheduler loop, ReplicaMember member, ClientSession session) {
    connector.connect(
        ((LoopScheduler) loop).loop(), member.host(), member.port(), member.id(), session);
  }

  /** The proof of a member holds for one certificate only; without TLS it could be passed on. */
  @Override
  public boolean mayBeSentBy(Principal client) {
    return encrypted || client.kind() != Principal.Kind.APPLICATION;
  }

  @Override
  public void close() {
    nameLookups.shutdown();
  }
}
