package io.sluice.server.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.replication.BatchFixture.Way;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Three members: the answers of the two others come on event loops of their own. */
class ReplicaBatchConcurrencyTest {
  private static final int ROUNDS = 4_000;

  private final BatchFixture fixture = new BatchFixture();
  private final ExecutorService loops = Executors.newFixedThreadPool(2);
  private final CyclicBarrier together = new CyclicBarrier(2);

  @AfterEach
  void stop() {
    loops.shutdownNow();
  }

  @ParameterizedTest
  @CsvSource({
    "ALL, true, true",
    "ALL, true, false",
    "ALL, false, false",
    "MAJORITY, true, true",
    "MAJORITY, true, false",
    "MAJORITY, false, false"
  })
  void answersThatComeTogetherEndTheLeasesOnceAndDecideOnce(
      AckRule rule, boolean firstHolds, boolean secondHolds) throws Exception {
    boolean holds = firstHolds && (secondHolds || rule == AckRule.MAJORITY);
    for (int round = 0; round < ROUNDS; round++) {
      ReplicaBatch batch = fixture.batch(rule);
      List<Way> ways = fixture.members.stream().map(Way::new).toList();
      ways.forEach(batch::carriedBy);
      Future<?> first = loops.submit(() -> answer(batch, ways.get(0), firstHolds));
      Future<?> second = loops.submit(() -> answer(batch, ways.get(1), secondHolds));
      first.get(30, TimeUnit.SECONDS);
      second.get(30, TimeUnit.SECONDS);

      assertThat(fixture.held).hasSize(holds ? 1 : 0);
      assertThat(fixture.failed).hasSize(holds ? 0 : 1);
      assertThat(ways).allSatisfy(way -> assertThat(way.kept).hasValue(0));
      assertThat(fixture.arena.chunkBytes()).as("the run's lease").isPositive();
      fixture.removeShuffle();
      assertThat(fixture.arena.chunkBytes()).as("after the last lease").isZero();
      fixture.held.clear();
      fixture.failed.clear();
    }
  }

  private Void answer(ReplicaBatch batch, Way way, boolean holds) throws Exception {
    together.await(30, TimeUnit.SECONDS);
    way.answer(batch, holds);
    return null;
  }
}
