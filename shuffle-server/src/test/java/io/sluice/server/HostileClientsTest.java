package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.Secret;
import io.sluice.transport.Transport;
import io.sluice.transport.auth.Credentials;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A real server that believes only who proves himself, and clients that mean it no good; beside
 * them one that pushes and reads all the time, and must not notice.
 */
final class HostileClientsTest {
  private static final ApplicationId GOOD = ApplicationId.of(1, 2);
  private static final ApplicationId BAD = ApplicationId.of(1, 3);
  private static final Secret GOOD_SECRET = Secret.of("the secret of the good application");
  private static final Secret BAD_SECRET = Secret.of("the secret of the bad application!");
  private static final int MAX_CONNECTIONS = 256;
  private static final List<TestBlock> BLOCKS =
      List.of(
          new TestBlock(0, 0, 0, 0, 5_000),
          new TestBlock(0, 1, 1, 0, 40),
          new TestBlock(7, 0, 0, 0, 20_000));

  private final Path directory;
  private final ExecutorService friend = Executors.newSingleThreadExecutor();

  @SuppressWarnings("NullAway.Init")
  private RealServer server;

  // The friend's thread's, of which there is one.
  private int nextShuffle = 100;

  HostileClientsTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @BeforeEach
  void start() throws Exception {
    server = RealServer.secured(MAX_CONNECTIONS, directory);
    server.admit(Map.of(GOOD, GOOD_SECRET, BAD, BAD_SECRET));
  }

  @AfterEach
  void stop() {
    friend.shutdownNow();
    server.close();
  }

  private int port(Transport transport) {
    return server.port(transport);
  }

  private SocketClient client(Transport transport, ApplicationId application, Secret secret) {
    return new SocketClient(
        transport, port(transport), Credentials.ofApplication(application, secret));
  }

  private static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private long outcome(String name) {
    return server.core().stats().admissions().outcomes().getOrDefault(name, 0L);
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aWrongSecretIsRefusedAndCounted(Transport transport) throws Exception {
    unharmed(
        transport,
        () -> {
          for (int i = 0; i < 20; i++) {
            assertRefused(
                ErrorCode.AUTHENTICATION_FAILED, () -> client(transport, GOOD, BAD_SECRET));
          }
          assertRefused(
              ErrorCode.AUTHENTICATION_FAILED, () -> new SocketClient(transport, port(transport)));
        });
    assertThat(outcome("wrong_proof")).isEqualTo(20);
    assertThat(outcome("no_proof")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void anotherApplicationsShuffleIsOutOfReach(Transport transport) throws Exception {
    ShuffleKey theirs = new ShuffleKey(GOOD, 9, 0);
    try (SocketClient owner = client(transport, GOOD, GOOD_SECRET)) {
      owner.push(theirs, BLOCKS);
      unharmed(
          transport,
          () -> {
            for (int i = 0; i < 5; i++) {
              SocketClient reader = client(transport, BAD, BAD_SECRET);
              reader.push(new ShuffleKey(BAD, 9, 0), BLOCKS);
              assertRefused(ErrorCode.ACCESS_DENIED, () -> reader.fetch(theirs, 1, 10));
              reader.awaitEnd();
              SocketClient writer = client(transport, BAD, BAD_SECRET);
              assertRefused(ErrorCode.ACCESS_DENIED, () -> writer.push(theirs, BLOCKS));
              writer.awaitEnd();
            }
          });
      assertThat(outcome("access_denied")).isEqualTo(10);
      assertThat(owner.fetch(theirs, 1, 10)).containsExactlyInAnyOrderElementsOf(BLOCKS);
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void randomBytesAndHalfFramesHarmNobody(Transport transport) throws Exception {
    Random random = new Random(11);
    unharmed(
        transport,
        () -> {
          List<Socket> held = new ArrayList<>();
          try {
            for (int i = 0; i < 200; i++) {
              Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(transport));
              byte[] bytes = hostileBytes(random, i);
              socket.getOutputStream().write(bytes);
              if (i % 4 == 0 && held.size() < 20) {
                held.add(socket); // half a frame, held open
              } else {
                socket.shutdownOutput();
                drain(socket);
                socket.close();
              }
            }
          } finally {
            for (Socket socket : held) {
              socket.close();
            }
          }
        });
  }

  private static byte[] hostileBytes(Random random, int number) {
    byte[] bytes = new byte[1 + random.nextInt(2_000)];
    random.nextBytes(bytes);
    byte[] magic = {'S', 'L', 'U', 'I', 'C', 'E', '\r', '\n'};
    if (number % 2 == 0) {
      System.arraycopy(magic, 0, bytes, 0, Math.min(magic.length, bytes.length));
    }
    if (number % 4 == 0 && bytes.length > 16) {
      // A HELLO that promises a kilobyte.
      byte[] header = {0, 0, 4, 0, 1, 0, 0, 0};
      System.arraycopy(header, 0, bytes, 8, header.length);
      return Arrays.copyOf(bytes, Math.min(bytes.length, 500));
    }
    return bytes;
  }

  private static void drain(Socket socket) throws IOException {
    socket.setSoTimeout(20_000);
    InputStream in = socket.getInputStream();
    byte[] sink = new byte[4096];
    try {
      while (in.read(sink) >= 0) {
        // Until the server has had enough.
      }
    } catch (SocketException reset) {
      // As good as an end.
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void tenThousandIdleConnectionsTakeNeitherAllPlacesNorMemory(Transport transport)
      throws Exception {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port(transport));
    // What the first ten thousand make pools take is there for the next.
    unharmed(transport, () -> openAndClose(address));
    long slabs = server.core().arena().slabBytes();
    long direct = directBytes();
    // Pools of clients that have gone are there until the collector comes, so the least counts.
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 3; round++) {
      unharmed(transport, () -> openAndClose(address));
      least = Math.min(least, directBytes() - direct);
    }
    // Pools grow by chunks; a page for each connection would be 80 MB.
    assertThat(least).isLessThan(16L << 20);
    assertThat(server.core().arena().slabBytes()).isEqualTo(slabs);
    assertThat(server.core().arena().chunkBytes()).isZero();
  }

  private void openAndClose(InetSocketAddress address) throws IOException {
    List<SocketChannel> idle = new ArrayList<>();
    try {
      for (int i = 0; i < 10_000; i++) {
        idle.add(SocketChannel.open(address));
      }
      assertThat(server.core().stats().connections()).isLessThan(10);
    } finally {
      for (SocketChannel channel : idle) {
        channel.close();
      }
    }
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  /** What somebody does who means it no good. */
  private interface Hostility {
    void act() throws Exception;
  }

  /** Does something hostile while a good client goes on, at least twice after it has ended. */
  private void unharmed(Transport transport, Hostility hostility) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    try (SocketClient good = client(transport, GOOD, GOOD_SECRET)) {
      long incarnation = good.server().incarnation();
      Future<Integer> rounds =
          friend.submit(
              () -> {
                int done = 0;
                for (int after = 0; after < 2; done++) {
                  after += over.get() ? 1 : 0;
                  ShuffleKey shuffle = new ShuffleKey(GOOD, nextShuffle++, 0);
                  good.push(shuffle, BLOCKS);
                  assertThat(good.fetch(shuffle, incarnation, 10))
                      .containsExactlyInAnyOrderElementsOf(BLOCKS);
                  server.core().shuffles().remove(shuffle);
                }
                return done;
              });
      try {
        hostility.act();
      } finally {
        over.set(true);
      }
      assertThat(rounds.get(60, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(2);
    }
  }
}
