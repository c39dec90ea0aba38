package io.sluice.mapreduce.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Prospect;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A task waits for what coordinators make of a server, on a thread of its own. */
@Timeout(30)
class ServerNewsTest {
  private static final PlacedServer SERVER = new PlacedServer(ServerId.of(7, 1), 3, "host", 7000);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(20);

  private static ServerNews news(Duration settle) {
    return new ServerNews(new ServerBook(Clock.system()), Clock.system(), settle);
  }

  private static ServerStatus status(State state) {
    return new ServerStatus(SERVER, state, 3, state == State.LOST ? 3 : 0, 1);
  }

  /** What a task is told that asks in this state of things. */
  private static ServerFate ask(ServerNews news, Duration patience) throws InterruptedException {
    return news.fate(SERVER, patience);
  }

  /** The same for a task that waits while other things happen. */
  private static CompletableFuture<ServerFate> asking(ServerNews news, Duration patience) {
    CompletableFuture<ServerFate> answer = new CompletableFuture<>();
    Thread task =
        new Thread(
            () -> {
              try {
                answer.complete(ask(news, patience));
              } catch (InterruptedException | RuntimeException e) {
                answer.completeExceptionally(e);
              }
            });
    task.setDaemon(true);
    task.start();
    awaitWaiting(task);
    return answer;
  }

  private static void awaitWaiting(Thread task) {
    while (task.getState() != Thread.State.TIMED_WAITING) {
      assertThat(task.isAlive()).isTrue();
      Thread.onSpinWait();
    }
  }

  @Test
  void whatIsLostIsSaidAtOnce() throws Exception {
    ServerNews news = news(LONG);
    news.snapshot(List.of(status(State.LOST)));
    assertThat(ask(news, LONG)).isEqualTo(ServerFate.LOST);
    news.snapshot(List.of());
    assertThat(ask(news, LONG)).as("unknown to them").isEqualTo(ServerFate.LOST);
  }

  @Test
  void aServerThatIsHeardAllTheTimeIsAlive() throws Exception {
    ServerNews news = news(SHORT);
    news.snapshot(List.of(status(State.ACTIVE)));
    assertThat(ask(news, LONG)).isEqualTo(ServerFate.ALIVE);
    news.changed(status(State.DRAINING));
    assertThat(ask(news, LONG)).isEqualTo(ServerFate.ALIVE);
  }

  @Test
  void oneThatHasNotBeenMissedYetMayTurnOutToBeLost() throws Exception {
    ServerNews news = news(LONG);
    news.snapshot(List.of(status(State.ACTIVE)));
    CompletableFuture<ServerFate> answer = asking(news, LONG);
    news.changed(status(State.SUSPECT));
    news.changed(status(State.LOST));
    assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo(ServerFate.LOST);
  }

  @Test
  void oneThatIsSilentIsWaitedForUntilItIsBack() throws Exception {
    for (State state : List.of(State.SUSPECT, State.RESTARTING)) {
      ServerNews news = news(SHORT);
      news.snapshot(List.of(status(state)));
      CompletableFuture<ServerFate> answer = asking(news, LONG);
      news.changed(status(State.ACTIVE));
      assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo(ServerFate.BACK);
    }
  }

  @Test
  void oneThatIsSilentForLongerThanATaskWaitsIsNotGivenUp() throws Exception {
    ServerNews news = news(LONG);
    news.snapshot(List.of(status(State.SUSPECT)));
    assertThat(ask(news, SHORT)).isEqualTo(ServerFate.ALIVE);
  }

  @Test
  void whatNoCoordinatorRenewsIsNotWaitedFor() throws Exception {
    ServerNews news = news(LONG);
    news.snapshot(List.of(status(State.RESTARTING)));
    ServerBook servers = news.await(SHORT);
    assertThat(servers.whereabouts(SERVER).prospect()).isEqualTo(Prospect.RETURNS);
    news.unheard();
    assertThat(servers.whereabouts(SERVER).prospect()).isEqualTo(Prospect.UNKNOWN);
  }

  @Test
  void aRestartThatLostMemoryIsALoss() throws Exception {
    ServerNews news = news(LONG);
    news.snapshot(List.of(status(State.SUSPECT)));
    CompletableFuture<ServerFate> answer = asking(news, LONG);
    PlacedServer next = new PlacedServer(SERVER.id(), 4, "host", 7000);
    news.changed(new ServerStatus(next, State.ACTIVE, 4, 3, 1));
    assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo(ServerFate.LOST);
  }

  @Test
  void saysSoIfNoCoordinatorSaysAnything() {
    SluiceException failure =
        catchThrowableOfType(SluiceException.class, () -> news(LONG).await(SHORT));
    assertThat(failure.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
  }
}
