package io.sluice.client.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.client.ClientConfig;
import io.sluice.client.ClientSecurity;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.Registration;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.transport.ClientSession;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The client's threads live as long as it does. What starts them is a thread of some job, whose
 * class loader they would keep, with all classes of the job.
 */
class ClientThreadsTest {
  /** A port that nobody listens on. */
  private static final int NOBODY = 1;

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();
  private final ClassLoader jobs = new URLClassLoader(new URL[0], before);

  @BeforeEach
  void beAJob() {
    Thread.currentThread().setContextClassLoader(jobs);
  }

  @AfterEach
  void beNone() {
    Thread.currentThread().setContextClassLoader(before);
  }

  @Test
  void ofConnectionsKeepNoClassLoaderOfAJob() throws Exception {
    try (SocketConnector connector =
        SocketConnector.open(
            ClientConfig.defaults(),
            ClientSecurity.off(),
            PooledByteBufAllocator.DEFAULT,
            Clock.system())) {
      CompletableFuture<Object> closed = new CompletableFuture<>();
      connector.connect(
          connector.loop(),
          new PlacedServer(ServerId.of(1, 1), 1, "localhost", NOBODY),
          endsWith(closed));
      assertThat(closed.get(20, TimeUnit.SECONDS)).isInstanceOf(SluiceException.class);

      assertThat(threads("sluice-client-"))
          .extracting(Thread::getName)
          .contains("sluice-client-names")
          .hasSizeGreaterThan(1);
      assertThat(threads("sluice-")).noneMatch(thread -> thread.getContextClassLoader() == jobs);
    }
  }

  @Test
  void ofTheControlPlaneKeepNoClassLoaderOfAJob() {
    try (CoordinatorClient client =
        CoordinatorClient.open(
            new CoordinatorClientConfig(
                List.of(new HostPort("127.0.0.1", NOBODY)),
                Duration.ofMillis(100),
                Duration.ofSeconds(5)))) {
      Registration registration =
          new Registration(ApplicationId.of(1, 2), "app-1", "ada", "spark", "0.1");
      assertThat(failsToRegister(client, registration)).isNotNull();

      assertThat(threads("sluice-coordinator-client")).isNotEmpty();
      assertThat(threads("sluice-control-io")).isNotEmpty();
      assertThat(threads("sluice-")).noneMatch(thread -> thread.getContextClassLoader() == jobs);
    }
  }

  private static SluiceException failsToRegister(CoordinatorClient client, Registration as) {
    return catchThrowableOfType(SluiceException.class, () -> client.registerApplication(as));
  }

  private static List<Thread> threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .toList();
  }

  private static ClientSession endsWith(CompletableFuture<Object> cause) {
    return (ClientSession)
        Proxy.newProxyInstance(
            ClientSession.class.getClassLoader(),
            new Class<?>[] {ClientSession.class},
            (session, method, arguments) -> {
              if (method.getName().equals("closed")) {
                cause.complete(arguments[0]);
              }
              return null;
            });
  }
}
