package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.shuffle.sluice.LoggedLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the driver's log says of the answer of a server that was killed and is back. */
class SalvageTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(1, 1), 0, 0);

  private final LoggedLines logged = LoggedLines.of(Salvage.class);
  private final SteppedScheduler scheduler = new SteppedScheduler();
  private final ServerBook servers = new ServerBook(scheduler.clock());
  private final CompletableFuture<StoredMaps> onDisk = new CompletableFuture<>();
  private final Salvage salvage = new Salvage(servers, (server, shuffle) -> onDisk, scheduler);

  @BeforeEach
  void askAServerThatIsBack() {
    PlacedServer second = new PlacedServer(server(0).id(), 2, server(0).host(), server(0).port());
    servers.snapshot(List.of(new ServerStatus(second, State.ACTIVE, 2, 1, 1)));
    assertThat(salvage.of(SHUFFLE, server(0), () -> {})).isNull();
  }

  @AfterEach
  void stop() {
    logged.close();
  }

  @Test
  void aServerThatKnowsNothingOfTheShuffleHasAnswered() {
    onDisk.completeExceptionally(new SluiceException(ErrorCode.UNKNOWN_SHUFFLE, "says the test"));
    assertThat(logged.lines()).hasSize(1);
    assertThat(logged.lines().get(0))
        .contains("has nothing of shuffle")
        .doesNotContain("Exception");
    assertThat(salvage.told(SHUFFLE, server(0))).isSameAs(StoredMaps.NONE);
  }

  @Test
  void ofOneThatDoesNotAnswerItIsSaidWhy() {
    onDisk.completeExceptionally(new SluiceException(ErrorCode.TIMED_OUT, "says the test"));
    assertThat(logged.lines()).hasSize(1);
    assertThat(logged.lines().get(0)).contains("does not say", "TIMED_OUT");
  }
}
