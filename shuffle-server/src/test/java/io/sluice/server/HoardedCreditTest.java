package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Clients that have much credit and do nothing, while somebody waits for memory. */
class HoardedCreditTest {
  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 1);

  @Test
  void whoIgnoresThatOthersWaitLosesTheConnectionBeforeTheseAreRefused() {
    List<TestPeer> hoarders = hoard();
    TestPeer honest = fixture.connect();
    long had = honest.credit;
    honest.session.want(1 << 20);
    fixture.world.advance(CoreFixture.WANT_TIMEOUT - 1);

    assertThat(hoarders)
        .filteredOn(hoarder -> hoarder.granted > 0)
        .allMatch(hoarder -> hoarder.reclaimAsked > 0)
        .anyMatch(hoarder -> hoarder.closedFor == ErrorCode.PEER_NOT_READING);
    assertThat(honest.credit).isGreaterThan(had);
    assertThat(honest.refusals).isEmpty();
    assertThat(honest.closedFor).isNull();
  }

  @Test
  void creditThatNobodyWaitsForMayLieIdle() {
    TestPeer idle = fixture.connect();
    idle.session.want(1 << 20);
    fixture.world.advance(10 * CoreFixture.WANT_TIMEOUT);
    assertThat(idle.closedFor).isNull();
  }

  /** All the credit there is, but for what one block takes. */
  private List<TestPeer> hoard() {
    List<TestPeer> hoarders = new ArrayList<>();
    long left;
    while ((left = fixture.core.arena().budget().free()) > CoreFixture.MAX_BLOCK * 2L) {
      TestPeer hoarder = fixture.connect();
      hoarders.add(hoarder);
      hoarder.session.want(left);
      fixture.world.settle();
      if (hoarder.granted == 0) {
        break;
      }
    }
    return hoarders;
  }
}
