package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import org.junit.jupiter.api.Test;

class WaitingTaleTest {
  private final SluiceException nobody =
      new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "no coordinator leads");
  private final SluiceException tooFew =
      new SluiceException(ErrorCode.NO_SERVERS, "3 needed, 2 can take data");

  private final WaitingTale tale = new WaitingTale(100);

  private boolean isDue(SluiceException reason, long afterNanos) {
    return tale.isDue(reason, 100 + afterNanos);
  }

  @Test
  void aChangeOfLeaderIsNothingToTellOf() {
    assertThat(isDue(nobody, WaitingTale.UNSAID_NANOS - 1)).isFalse();
    assertThat(isDue(nobody, WaitingTale.UNSAID_NANOS)).isTrue();
  }

  @Test
  void eachReasonIsToldOnceAsItComes() {
    assertThat(isDue(nobody, 3 * WaitingTale.UNSAID_NANOS)).isTrue();
    assertThat(isDue(nobody, 4 * WaitingTale.UNSAID_NANOS)).isFalse();
    assertThat(isDue(tooFew, 5 * WaitingTale.UNSAID_NANOS)).isTrue();
    assertThat(isDue(tooFew, 6 * WaitingTale.UNSAID_NANOS)).isFalse();
  }
}
