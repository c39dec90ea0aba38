package io.sluice.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.RecordingClient;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.StoringSession;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Resolvers that hang, fail or are overloaded, played by one that waits for a latch. */
@Timeout(60)
final class NameLookupTest {
  private static final ConnectionTimeouts SHORT =
      new ConnectionTimeouts(
          millis(500), millis(20_000), millis(20_000), millis(20_000), millis(5_000));

  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
  private final EventLoops loops = EventLoops.open("lookup", 1, alloc, Clock.system());
  private final ExecutorService two = Executors.newFixedThreadPool(2);
  private final CountDownLatch mended = new CountDownLatch(1);
  private final AtomicInteger deadLookups = new AtomicInteger();
  private final NettyConnector connector =
      new NettyConnector(
          loops,
          new ClientSettings(new UUID(7, 8), ClientAuthenticator.none(), SHORT),
          new NameLookups(two, this::resolve));
  private final NettyServer server =
      NettyServer.bind(
          loops,
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          new ServerSettings(
              () -> new ServerIdentity(ServerId.of(1, 2), 3),
              ServerAuthenticator.none(),
              ConnectionLimits.of(8, 1 << 20),
              ConnectionTimeouts.defaults(),
              true),
          (peer, link) -> new ServerSessionFactory.Accepted(new StoringSession(link), 1 << 20));

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @AfterEach
  void stop() {
    mended.countDown();
    two.shutdown();
    server.close();
    loops.close();
    assertThat(alloc.metric().usedDirectMemory()).isZero();
  }

  private byte[] resolve(String host) throws UnknownHostException {
    if (host.startsWith("dead")) {
      deadLookups.incrementAndGet();
      try {
        mended.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    if (host.startsWith("unknown")) {
      throw new UnknownHostException(host);
    }
    return InetAddress.getLoopbackAddress().getAddress();
  }

  private RecordingClient connect(String host) {
    RecordingClient client = new RecordingClient();
    connector.connect(host, server.address().getPort(), null, client);
    return client;
  }

  @Test
  void aResolverThatHangsIsAConnectFailureWithinTheTimeout() throws Exception {
    RecordingClient client = connect("dead-1");
    assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
    assertThat(client.cause).hasMessageContaining("dead-1");
  }

  @Test
  void aNameThatHangsHoldsOneThreadHoweverOftenItIsTried() throws Exception {
    List<RecordingClient> dead = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      dead.add(connect("dead-1"));
    }
    for (RecordingClient client : dead) {
      assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
    }
    assertThat(connect("alive").link.get(20, TimeUnit.SECONDS)).isNotNull();
    assertThat(deadLookups).hasValue(1);
  }

  @Test
  void aNameIsLookedUpAgainAfterAnAnswer() throws Exception {
    assertThat(connect("dead-1").awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
    mended.countDown();
    assertThat(connect("dead-1").link.get(20, TimeUnit.SECONDS)).isNotNull();
    assertThat(connect("dead-1").link.get(20, TimeUnit.SECONDS)).isNotNull();
    assertThat(deadLookups.get()).isGreaterThan(1);
  }

  @Test
  void anUnknownNameIsAConnectFailureAtOnce() throws Exception {
    RecordingClient client = connect("unknown-1");
    assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
    assertThat(client.cause)
        .hasMessageContaining("unknown-1")
        .hasRootCauseInstanceOf(UnknownHostException.class);
  }

  @Test
  void anExecutorThatIsFullIsAConnectFailure() throws Exception {
    NettyConnector full =
        new NettyConnector(
            loops,
            new ClientSettings(new UUID(7, 8), ClientAuthenticator.none(), SHORT),
            new NameLookups(
                task -> {
                  throw new RejectedExecutionException("full");
                },
                this::resolve));
    RecordingClient client = new RecordingClient();
    full.connect("alive", server.address().getPort(), null, client);
    assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
  }

  @Test
  void aSystemWithoutThreadsIsAConnectFailureAndNoErrorOfWhoeverConnects() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    NettyConnector full =
        new NettyConnector(
            loops,
            new ClientSettings(new UUID(7, 8), ClientAuthenticator.none(), SHORT),
            new NameLookups(
                task -> {
                  asked.incrementAndGet();
                  throw new OutOfMemoryError("unable to create native thread (by the test)");
                },
                this::resolve));
    for (int times = 1; times <= 2; times++) {
      RecordingClient client = new RecordingClient();
      full.connect("alive", server.address().getPort(), null, client);
      assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
      assertThat(client.cause).hasMessageContaining("native thread").hasNoCause();
      assertThat(asked).as("lookups").hasValue(times);
    }
  }

  @Test
  void aLookupThatEndsInAnErrorIsNotUnderWayAnyMore() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    NettyConnector failing =
        new NettyConnector(
            loops,
            new ClientSettings(new UUID(7, 8), ClientAuthenticator.none(), SHORT),
            new NameLookups(
                two,
                host -> {
                  asked.incrementAndGet();
                  throw new StackOverflowError("by the test");
                }));
    for (int times = 1; times <= 2; times++) {
      RecordingClient client = new RecordingClient();
      failing.connect("alive", server.address().getPort(), null, client);
      assertThat(client.awaitClosed()).isEqualTo(ErrorCode.CONNECT_FAILED);
      assertThat(client.cause).hasMessageContaining("by the test").hasNoCause();
      assertThat(asked).as("lookups").hasValue(times);
    }
  }
}
