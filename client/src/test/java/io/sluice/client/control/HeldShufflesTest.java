package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import org.junit.jupiter.api.Test;

class HeldShufflesTest {
  private static final ShuffleKey FIRST = new ShuffleKey(ApplicationId.of(1, 2), 1, 0);
  private static final ShuffleKey SECOND = new ShuffleKey(ApplicationId.of(1, 2), 2, 0);

  private final HeldShuffles held = new HeldShuffles();

  private int beat() {
    HeartbeatApplicationRequest.Builder heartbeat = HeartbeatApplicationRequest.newBuilder();
    held.addTo(heartbeat);
    return heartbeat.getShufflesCount();
  }

  private void placeUnderAnEarlierLeader() {
    held.answered(1, false);
    held.placed(FIRST, 10);
    held.placed(SECOND, 20);
    held.answered(1, true);
    assertThat(held.answered(2, false)).as("another leads, who has to be told").isTrue();
  }

  @Test
  void whatIsRemovedWhileItIsToldIsRemovedAgain() {
    placeUnderAnEarlierLeader();
    assertThat(beat()).isEqualTo(2);
    held.removed(FIRST);
    assertThat(held.overtaken()).as("it may still arrive").isEmpty();
    held.answered(2, true);
    assertThat(held.overtaken()).containsExactly(FIRST);
    assertThat(held.overtaken()).as("once").isEmpty();
  }

  @Test
  void whatIsRemovedAtOtherTimesIsRemovedOnce() {
    held.answered(1, false);
    held.placed(FIRST, 10);
    held.removed(FIRST);
    placeUnderAnEarlierLeader();
    held.removed(FIRST);
    assertThat(beat()).isEqualTo(1);
    held.answered(2, true);
    held.removed(SECOND);
    assertThat(held.overtaken()).isEmpty();
  }

  @Test
  void aHeartbeatThatWasGivenUpMayHaveArrived() {
    placeUnderAnEarlierLeader();
    assertThat(beat()).isEqualTo(2);
    held.removed(FIRST);
    held.removed(SECOND);
    // Nobody answered it, and the next has nothing to tell.
    assertThat(beat()).isZero();
    assertThat(held.overtaken()).isEmpty();
    held.answered(2, false);
    assertThat(held.overtaken()).containsExactly(FIRST, SECOND);
  }
}
