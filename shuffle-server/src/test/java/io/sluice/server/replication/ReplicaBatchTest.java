package io.sluice.server.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.replication.BatchFixture.Way;
import io.sluice.transport.FailedReplica;
import org.junit.jupiter.api.Test;

class ReplicaBatchTest {
  private final BatchFixture fixture = new BatchFixture();
  private final Way one = new Way(fixture.members.get(0));
  private final Way two = new Way(fixture.members.get(1));

  private ReplicaBatch carried(AckRule rule) {
    ReplicaBatch batch = fixture.batch(rule);
    batch.carriedBy(one);
    batch.carriedBy(two);
    return batch;
  }

  @Test
  void countsWhatIsKeptForAMemberOnceAMajorityWasEnough() {
    ReplicaBatch batch = carried(AckRule.MAJORITY);
    assertThat(one.kept).hasValue(0);
    one.answer(batch, true);
    assertThat(fixture.held).containsExactly(batch);
    assertThat(two.kept).hasValue(BatchFixture.BLOCK_BYTES);
    assertThat(two.told).hasValue(1);
    two.answer(batch, true);
    assertThat(two.kept).hasValue(0);
    assertThat(one.kept).hasValue(0);
  }

  @Test
  void countsWhatIsKeptAfterARefusalToo() {
    ReplicaBatch batch = carried(AckRule.ALL);
    one.answer(batch, false);
    assertThat(fixture.failed).hasSize(1);
    assertThat(two.kept).hasValue(BatchFixture.BLOCK_BYTES);
    two.answer(batch, false);
    assertThat(two.kept).hasValue(0);
    assertThat(fixture.failed).hasSize(1);
  }

  @Test
  void countsNothingWhileTheClientsCreditCoversIt() {
    ReplicaBatch batch = carried(AckRule.ALL);
    one.answer(batch, true);
    assertThat(two.kept).hasValue(0);
    two.answer(batch, true);
    assertThat(fixture.held).containsExactly(batch);
    assertThat(two.told).hasValue(0);
  }

  @Test
  void countsForWhomItIsCarriedOnlyAfterItWasDecided() {
    ReplicaBatch batch = fixture.batch(AckRule.MAJORITY);
    batch.carriedBy(one);
    one.answer(batch, true);
    batch.carriedBy(two);
    assertThat(two.kept).hasValue(BatchFixture.BLOCK_BYTES);
    two.answer(batch, true);
    assertThat(two.kept).hasValue(0);
  }

  @Test
  void namesEveryMemberThatFailedBeforeItWasDecided() {
    ReplicaBatch batch = fixture.batch(AckRule.MAJORITY);
    batch.carriedBy(one);
    batch.failed(fixture.members.get(1), ErrorCode.TOO_MANY_CONNECTIONS);
    assertThat(fixture.failed).isEmpty();
    one.answer(batch, false);
    assertThat(fixture.failed.remove())
        .containsExactly(
            new FailedReplica(fixture.members.get(1).id(), ErrorCode.TOO_MANY_CONNECTIONS),
            new FailedReplica(fixture.members.get(0).id(), ErrorCode.TIMED_OUT));
  }
}
