package io.sluice.server.credit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.fair.Jain;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CreditCrowdTest {
  private static final long MIB = 1 << 20;
  private static final long SECOND = 1_000_000_000L;
  private static final int CONNECTIONS = 2000;
  private static final int APPLICATIONS = 10;

  private static CreditCrowd crowd(long seed) {
    CreditLimits limits =
        new CreditLimits(4096, CONNECTIONS, 300_000, 4 * MIB, 10 * SECOND, 2 * SECOND);
    CreditCrowd crowd = new CreditCrowd(seed, 32 * MIB, limits);
    crowd.join(CONNECTIONS, APPLICATIONS);
    return crowd;
  }

  private static void end(CreditCrowd crowd) {
    crowd.everyWantIsAnsweredByItsDeadline();
    crowd.creditReturnedEqualsCreditGranted();
    crowd.end();
    crowd.creditReturnedEqualsCreditGranted();
    crowd.reservationsEqualAccountedBytes();
    assertThat(crowd.arena.chunkBytes()).isZero();
    assertThat(crowd.broker.wants()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everybodyGetsOnThroughASlowDisk(long seed) {
    CreditCrowd crowd = crowd(seed);
    crowd.diskBytesPerTick = MIB;
    crowd.run(15_000);
    assertThat(crowd.refusals).isZero();
    double[] perApplication = new double[APPLICATIONS];
    for (int i = 0; i < crowd.members.size(); i++) {
      CreditCrowd.Member member = crowd.members.get(i);
      assertThat(member.pushed).as("connection %d", i).isPositive();
      perApplication[i % APPLICATIONS] += member.pushed;
    }
    assertThat(Jain.index(perApplication)).isGreaterThan(0.99);
    end(crowd);
  }

  /** 2,000 connections take turns of 150 KB through 13 MB/s: the line is 24 s long. */
  @Test
  void nobodyIsRefusedInALineThatIsLongerThanTheDeadline() {
    CreditCrowd crowd = crowd(7);
    crowd.diskBytesPerTick = MIB / 8;
    crowd.run(60_000);
    assertThat(crowd.refusals).isZero();
    assertThat(crowd.members).allMatch(member -> member.pushed > 0);
    end(crowd);
  }

  @Test
  void aDiskThatTakesNothingForAWhileStrandsNobody() {
    CreditCrowd crowd = crowd(4);
    crowd.run(12_000);
    assertThat(crowd.refusals).as("who waits for longer than the deadline is told").isPositive();
    crowd.diskBytesPerTick = MIB;
    crowd.run(2_000);
    int refusals = crowd.refusals;
    crowd.members.forEach(member -> member.pushed = 0);
    crowd.run(15_000);
    assertThat(crowd.refusals).isEqualTo(refusals);
    assertThat(crowd.members).allMatch(member -> member.pushed > 0);
    end(crowd);
  }

  @Test
  void frozenClientsKeepTheirCreditOnlyUntilTheyAreCutOff() {
    CreditCrowd crowd = crowd(5);
    crowd.diskBytesPerTick = MIB;
    crowd.run(3_000);
    List<CreditCrowd.Member> frozen = List.copyOf(crowd.members.subList(0, CONNECTIONS / 2));
    frozen.forEach(member -> member.frozen = true);
    crowd.run(3_000);
    frozen.forEach(CreditCrowd.Member::close);
    crowd.members.forEach(member -> member.pushed = 0);
    crowd.run(10_000);
    assertThat(crowd.members).allMatch(member -> member.pushed > 0);
    end(crowd);
  }

  /** Nothing in memory that a disk could take: all of it is credit, in pieces too small to use. */
  @Test
  void creditInPiecesTooSmallToUseIsGatheredAgain() {
    CreditLimits limits =
        new CreditLimits(4096, CONNECTIONS, 300_000, 4 * MIB, 10 * SECOND, 2 * SECOND);
    CreditCrowd crowd = new CreditCrowd(6, 32 * MIB, limits);
    crowd.join(CONNECTIONS / 4, APPLICATIONS);
    crowd.shred(60_000);
    assertThat(crowd.budget.free()).isLessThan(limits.maxCharge());
    assertThat(crowd.arena.chunkBytes()).isZero();
    crowd.diskBytesPerTick = MIB;
    crowd.run(9_000);
    assertThat(crowd.refusals).isZero();
    assertThat(crowd.members).allMatch(member -> member.pushed > 0);
    end(crowd);
  }
}
