package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.Secret;
import io.sluice.transport.Transport;
import io.sluice.transport.auth.Credentials;
import io.sluice.transport.frame.Hello;
import io.sluice.transport.session.ClientAuthenticator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Honest clients of one address that come at the same time, as behind one NAT or after a server's
 * restart. They prove who they are at once, and the server has not heard of their application yet:
 * so all of them are newcomers together.
 */
@Timeout(120)
final class CrowdOfOneAddressTest {
  private static final int PLACES = 32;
  private static final int CROWD = 28;
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);
  private static final Secret SECRET = Secret.of("the secret of the crowd's application");

  private final Semaphore proved = new Semaphore(0);

  /** Tells when it proves itself. */
  private ClientAuthenticator identity() {
    ClientAuthenticator real = Credentials.ofApplication(APPLICATION, SECRET);
    return new ClientAuthenticator() {
      @Override
      public int scheme() {
        return real.scheme();
      }

      @Override
      public Exchange begin() {
        Exchange exchange = real.begin();
        return new Exchange() {
          @Override
          public byte[] principal() {
            return exchange.principal();
          }

          @Override
          public byte[] respond(Hello said, byte[] challenge, byte[] binding) {
            proved.release();
            return exchange.respond(said, challenge, binding);
          }

          @Override
          public void confirm(byte[] serverProof) {
            exchange.confirm(serverProof);
          }
        };
      }
    };
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void allGetIn(Transport transport, @TempDir Path directory) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CROWD);
    try (RealServer server = RealServer.secured(PLACES, directory)) {
      List<Future<SocketClient>> crowd = new ArrayList<>();
      for (int i = 0; i < CROWD; i++) {
        // A few of them over the other port.
        Transport by = i % 5 == 0 ? Transport.NETTY : transport;
        crowd.add(threads.submit(() -> letIn(by, server.port(by))));
      }
      assertThat(proved.tryAcquire(PLACES / 2, 20, TimeUnit.SECONDS)).as("half").isTrue();
      assertThat(crowd).noneMatch(Future::isDone);
      server.admit(Map.of(APPLICATION, SECRET));
      List<SocketClient> in = new ArrayList<>();
      for (Future<SocketClient> each : crowd) {
        in.add(each.get(60, TimeUnit.SECONDS));
      }
      assertThat(server.core().stats().connections()).isEqualTo(CROWD);
      assertIsServed(in.get(CROWD - 1));
      // Each takes half a second for its loops to end; the server would wait for all of them.
      in.forEach(client -> threads.execute(client::close));
      threads.shutdown();
      assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).as("all closed").isTrue();
    } finally {
      threads.shutdownNow();
    }
  }

  /** Who has waited in line for too long comes again. */
  private SocketClient letIn(Transport by, int port) {
    while (true) {
      try {
        return new SocketClient(by, port, identity());
      } catch (SluiceException full) {
        assertThat(full.code()).isIn(ErrorCode.TOO_MANY_CONNECTIONS, ErrorCode.CONNECTION_LOST);
      }
    }
  }

  private static void assertIsServed(SocketClient client) {
    ShuffleKey shuffle = new ShuffleKey(APPLICATION, 1, 0);
    List<TestBlock> blocks = List.of(new TestBlock(0, 0, 0, 0, 5_000));
    client.push(shuffle, blocks);
    assertThat(client.fetch(shuffle, client.server().incarnation(), 1))
        .containsExactlyElementsOf(blocks);
  }
}
