package io.sluice.client.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.fake.FakeServer.Whole;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.InventoryEntries;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InventoryQueryTest {
  private final FakeCluster cluster = new FakeCluster(1, 1);
  private final FakeServer server = cluster.servers.get(0);
  private final SluiceClient client = cluster.client(ClientConfig.builder().build());

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  @Test
  void saysWhichAttemptsAreWholeAndInHowManyPartitions() {
    server.whole.add(new Whole(0, 11, 3));
    server.whole.add(new Whole(2, 7, 1));
    server.whole.add(new Whole(2, 1L << 40, 2));

    StoredMaps maps = ask();

    assertThat(maps.size()).isEqualTo(3);
    assertThat(maps.partitions(0, 11)).isEqualTo(3);
    assertThat(maps.partitions(0, 12)).as("another attempt").isZero();
    assertThat(maps.partitions(1, 11)).as("another map").isZero();
    assertThat(maps.partitions(2, 7)).isEqualTo(1);
    assertThat(maps.partitions(2, 1L << 40)).isEqualTo(2);
    assertThat(maps.partitions(3, 7)).isZero();
  }

  @Test
  void aServerThatHasNothingSaysSo() {
    assertThat(ask().size()).isZero();
  }

  /** The attempts of a map that a page ends within are told again, none twice. */
  @Test
  void goesOnWhereAPageEnded() {
    cluster.faults.splitPieces = 0.5;
    int maps = InventoryEntries.MAX_ENTRIES / 2 + 10;
    for (int map = 0; map < maps; map++) {
      server.whole.add(new Whole(map, map, 1));
      if (map > 0) {
        server.whole.add(new Whole(map, map + maps, 2));
      }
    }

    StoredMaps found = ask();

    assertThat(server.inventories).isEqualTo(2);
    assertThat(found.size()).isEqualTo(server.whole.size());
    server.whole.forEach(
        whole ->
            assertThat(found.partitions(whole.map(), whole.attempt()))
                .isEqualTo(whole.partitions()));
  }

  /** It would be asked about for ever else. */
  @Test
  void aMapThatIsMoreThanAPageIsLeftAfterOne() {
    for (int attempt = 0; attempt < InventoryEntries.MAX_ENTRIES + 5; attempt++) {
      server.whole.add(new Whole(4, attempt, 1));
    }
    server.whole.add(new Whole(5, 1, 9));

    StoredMaps found = ask();

    assertThat(server.inventories).isEqualTo(3);
    assertThat(found.partitions(5, 1)).isEqualTo(9);
  }

  /** What one asks about waits for what it asked before: servers answer one at a time. */
  @Test
  void asksOneAfterTheOther() {
    server.whole.add(new Whole(0, 1, 1));
    server.oneInventoryAtATime = true;
    List<CompletableFuture<StoredMaps>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(client.storedMaps(server.placed(), cluster.shuffle).toCompletableFuture());
    }
    CompletableFuture<Void> all =
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
    cluster.loop.runUntil(all::isDone);
    assertThat(answers).allSatisfy(answer -> assertThat(answer.join().size()).isEqualTo(1));
  }

  @Test
  void nobodyWaitsBehindAQuestionThatIsNotAnswered() {
    server.silent = true;
    long before = cluster.loop.now();
    CompletableFuture<StoredMaps> first =
        client.storedMaps(server.placed(), cluster.shuffle).toCompletableFuture();
    failsWith(ErrorCode.TIMED_OUT);
    assertThat(first).isCompletedExceptionally();
    assertThat(cluster.loop.now() - before).isLessThanOrEqualTo(Inventories.PATIENCE.toNanos());
  }

  @Test
  void asksAgainWhatALostConnectionCutOff() {
    cluster.faults.dropConnectionPerPiece = 0.3;
    for (int map = 0; map < 100_000; map++) {
      server.whole.add(new Whole(map, map, 1));
    }
    StoredMaps found = ask();
    assertThat(server.inventories).isGreaterThan(2);
    assertThat(found.size()).isEqualTo(100_000);
  }

  @Test
  void whatIsOutOfOrderIsNotBelieved() {
    server.whole.add(new Whole(2, 1, 1));
    server.whole.add(new Whole(1, 1, 1));
    failsWith(ErrorCode.MALFORMED_FRAME);
  }

  @Test
  void failsWithWhatTheServerSays() {
    server.failFetches.add(ErrorCode.TOO_MANY_STREAMS);
    failsWith(ErrorCode.TOO_MANY_STREAMS);
  }

  @Test
  void aServerThatDoesNotAnswerIsNotWaitedForForEver() {
    server.silent = true;
    long before = cluster.loop.now();
    failsWith(ErrorCode.TIMED_OUT);
    assertThat(cluster.loop.now() - before).isLessThanOrEqualTo(Inventories.PATIENCE.toNanos());
  }

  @Test
  void aClientThatIsClosedAsksNobody() {
    client.close();
    assertThatThrownBy(() -> client.storedMaps(server.placed(), cluster.shuffle))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
  }

  private StoredMaps ask() {
    CompletableFuture<StoredMaps> answer =
        client.storedMaps(server.placed(), cluster.shuffle).toCompletableFuture();
    cluster.loop.runUntil(answer::isDone);
    return answer.join();
  }

  private void failsWith(ErrorCode code) {
    assertThatThrownBy(this::ask)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
