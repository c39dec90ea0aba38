package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.Registration;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerStatus;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A driver whose coordinator takes connections and never answers. */
@Timeout(120)
class CoordinatedPlacementsTest {
  // Longer than anything here takes that does not wait for the coordinator.
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  private final ServerSocket silent = new ServerSocket(0, 5, HERE);
  private final CoordinatedPlacements placements =
      new CoordinatedPlacements(
          CoordinatorClient.open(
              new CoordinatorClientConfig(
                  List.of(new HostPort(HERE.getHostAddress(), silent.getLocalPort())), LONG, LONG)),
          new Registration(ApplicationId.of(1, 2), "app-1", "ada", "spark", "0.1"),
          1,
          LONG,
          new Deaf(),
          reason -> {});

  private @Nullable Socket taken;

  CoordinatedPlacementsTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    placements.close();
    silent.close();
    if (taken != null) {
      taken.close();
    }
  }

  /** As {@code SparkContext.stop} does while a query begins. */
  @Test
  void closingEndsTheWaitForTheFirstRegistration() throws Exception {
    Placing first = new Placing(0);
    taken = silent.accept();
    Placing second = new Placing(1);

    placements.close();
    assertThat(first.failure()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    assertThat(second.failure()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    assertThat(new Placing(2).failure()).isEqualTo(ErrorCode.SHUTTING_DOWN);
  }

  /** As whoever stops a streaming query does. */
  @Test
  void whoWaitsForTheRegistrationOfAnotherCanBeInterrupted() throws Exception {
    Placing first = new Placing(0);
    taken = silent.accept();
    Placing second = new Placing(1);

    second.thread.interrupt();
    assertThat(second.failure()).isEqualTo(ErrorCode.CANCELLED);
    assertThat(first.outcome).isNotDone();
    placements.remove(0, List.of());
  }

  private static final class Deaf implements ServerListener {
    @Override
    public void snapshot(List<ServerStatus> servers) {}

    @Override
    public void changed(ServerStatus server) {}
  }

  /** A shuffle that is placed by a thread of its own. */
  private final class Placing {
    final CompletableFuture<ErrorCode> outcome = new CompletableFuture<>();
    final Thread thread;

    Placing(int shuffleId) {
      thread = new Thread(() -> place(shuffleId), "placing " + shuffleId);
      thread.setDaemon(true);
      thread.start();
    }

    private void place(int shuffleId) {
      try {
        placements.place(shuffleId, 1);
      } catch (SluiceException e) {
        outcome.complete(e.code());
      }
    }

    ErrorCode failure() {
      return outcome.join();
    }
  }
}
