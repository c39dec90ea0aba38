package io.sluice.server.credit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CreditBrokerTest {
  private static final long MAX_CHARGE = CreditSimulation.LIMITS.maxCharge();

  private final CreditSimulation sim = new CreditSimulation(1);

  @Test
  void givesEveryConnectionItsSeed() {
    for (int i = 0; i < CreditSimulation.LIMITS.maxConnections(); i++) {
      assertThat(sim.join("a").account.credit()).isEqualTo(16_384);
    }
    assertThat(sim.broker.wants()).isZero();
  }

  @Test
  void keepsSeedsForThoseToComeHoweverFullTheArenaIs() {
    sim.fill();
    assertThat(sim.join("a").account.credit()).isEqualTo(16_384);
  }

  @Test
  void refillsSeedsThatBecameData() {
    for (int i = 0; i < 20; i++) {
      CreditSimulation.Holder holder = sim.join("a");
      assertThat(holder.account.credit()).isEqualTo(16_384);
      holder.push(16_384);
      holder.close();
    }
    sim.freeAll();
    assertThat(sim.budget.free())
        .isEqualTo(CreditSimulation.CAPACITY - CreditSimulation.LIMITS.reserveBytes());
  }

  @Test
  void grantsWhatIsAskedWhileMemoryIsAmple() {
    CreditSimulation.Holder holder = sim.join("a");
    holder.want(1_000_000);
    sim.world.settle();
    assertThat(holder.grants).containsExactly(1_003_520L);
    assertThat(sim.shortages).isZero();
  }

  @Test
  void grantsAsMemoryFrees() {
    CreditSimulation.Holder holder = sim.join("a");
    holder.want(4096);
    sim.world.settle();
    holder.grants.clear();
    sim.fill();
    holder.want(MAX_CHARGE);
    sim.world.settle();
    assertThat(holder.grants).isEmpty();
    assertThat(sim.shortages).isEqualTo(1);
    assertThat(holder.reclaims).isEqualTo(1);
    sim.free(MAX_CHARGE);
    sim.world.settle();
    assertThat(holder.grants).as("the last is for those who have had less").isEmpty();
    sim.free(2 << 20);
    sim.world.settle();
    assertThat(holder.grants).containsExactly(MAX_CHARGE);
    assertThat(sim.broker.wants()).isZero();
  }

  @Test
  void servesWhoWantsLittleFromTheHeadroom() {
    CreditSimulation.Holder greedy = sim.join("greedy");
    CreditSimulation.Holder modest = sim.join("modest");
    greedy.want(1 << 20);
    sim.world.settle();
    sim.fill();
    greedy.want(1 << 20);
    sim.free(2 << 20);
    sim.world.settle();
    sim.fillBut(MAX_CHARGE);
    greedy.want(1 << 20);
    sim.world.settle();
    assertThat(greedy.grants).hasSize(2);
    modest.want(4096);
    sim.world.settle();
    assertThat(modest.grants).containsExactly(4096L);
    assertThat(greedy.grants).hasSize(2);
  }

  @Test
  void sharesWhatFreesEvenlyBetweenApplicationsHoweverManyConnectionsTheyHave() {
    sim.fill();
    List<CreditSimulation.Holder> crowd =
        List.of(sim.join("crowd"), sim.join("crowd"), sim.join("crowd"), sim.join("crowd"));
    CreditSimulation.Holder single = sim.join("single");
    for (int round = 0; round < 40; round++) {
      crowd.forEach(holder -> holder.keepWanting(MAX_CHARGE));
      single.keepWanting(MAX_CHARGE);
      sim.free(MAX_CHARGE);
      sim.world.settle();
      sim.freshDataOf(crowd);
      sim.freshDataOf(List.of(single));
    }
    long ofCrowd = crowd.stream().mapToLong(CreditSimulation.Holder::granted).sum();
    assertThat(single.granted()).isCloseTo(ofCrowd, withinPercentage(10));
    for (CreditSimulation.Holder each : crowd) {
      assertThat(each.granted()).isCloseTo(ofCrowd / 4, withinPercentage(35));
    }
  }

  @Test
  void touchesNobodyButWhoIsGranted() {
    CreditLimits limits =
        new CreditLimits(4096, 500, 60_000, 4 << 20, 60_000_000_000L, 5_000_000_000L);
    CreditSimulation many = new CreditSimulation(1, limits);
    many.fill();
    List<CreditSimulation.Holder> all = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      all.add(many.join("app" + i % 20));
      all.get(i).want(4096);
    }
    many.world.settle();
    int before = all.stream().mapToInt(holder -> holder.tasks).sum();
    many.free(8192);
    many.world.settle();
    long granted = all.stream().mapToLong(CreditSimulation.Holder::granted).sum();
    assertThat(granted).isBetween(8192L, 65_536L);
    assertThat(all.stream().mapToInt(holder -> holder.tasks).sum() - before)
        .isEqualTo((int) (granted / 4096));
  }

  @Test
  void givesNobodyMemoryPastThoseWhoWait() {
    CreditSimulation.Holder waiting = sim.join("a");
    CreditSimulation.Holder busy = sim.join("b");
    busy.want(8192);
    sim.world.settle();
    sim.fill();
    waiting.want(MAX_CHARGE);
    sim.free(4096);
    long before = busy.clientCredit;
    busy.push(8192);
    assertThat(busy.clientCredit).isEqualTo(before - 8192);
  }

  @Test
  void refusesAWantThatMemoryNeverFreesFor() {
    CreditSimulation.Holder holder = sim.join("a");
    sim.fill();
    holder.want(4096);
    sim.world.advance(59_000_000_000L);
    assertThat(holder.refusals).isZero();
    sim.world.advance(2_000_000_000L);
    assertThat(holder.refusals).isEqualTo(1);
    sim.freeAll();
    sim.world.settle();
    assertThat(holder.grants).isEmpty();
  }

  @Test
  void refusesNobodyWhileTheLineMoves() {
    CreditSimulation.Holder first = sim.join("a");
    CreditSimulation.Holder second = sim.join("b");
    CreditSimulation.Holder last = sim.join("b");
    sim.fill();
    List.of(first, second, last).forEach(holder -> holder.want(4096));
    sim.world.advance(40_000_000_000L);
    sim.free(4096);
    sim.world.advance(59_000_000_000L);
    assertThat(List.of(first, second, last)).allMatch(holder -> holder.refusals == 0);
    int left = sim.broker.wants();
    assertThat(left).as("some were granted").isBetween(1, 2);
    sim.world.advance(2_000_000_000L);
    assertThat(first.refusals + second.refusals + last.refusals)
        .as("nobody was granted anything since")
        .isEqualTo(left);
    assertThat(sim.broker.wants()).isZero();
  }

  @Test
  void forgetsTheWantsOfConnectionsThatGo() {
    CreditSimulation.Holder gone = sim.join("a");
    CreditSimulation.Holder next = sim.join("a");
    sim.fill();
    gone.want(1 << 20);
    next.want(4096);
    gone.close();
    sim.free(4096);
    sim.world.settle();
    assertThat(gone.grants).isEmpty();
    assertThat(next.grants).containsExactly(4096L);
  }

  @Test
  void looksForIdleCreditWhileAnyoneHasMoreThanASeed() {
    CreditSimulation.Holder holder = sim.join("a");
    sim.world.advance(16_000_000_000L);
    assertThat(holder.tasks).isZero();
    holder.want(4096);
    sim.world.advance(16_000_000_000L);
    assertThat(holder.reclaims).isEqualTo(3);
    holder.giveBack(4096);
    sim.world.advance(60_000_000_000L);
    assertThat(holder.reclaims).isEqualTo(3);
    assertThat(holder.tasks).as("one grant, four looks").isEqualTo(5);
  }

  @Test
  void rejectsSpendingAndReturningWhatIsNotThere() {
    CreditSimulation.Holder holder = sim.join("a");
    assertThatThrownBy(() -> holder.account.spend(16_385))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CREDIT_EXCEEDED));
    assertThatThrownBy(() -> holder.account.giveBack("a", 16_385))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CREDIT_EXCEEDED));
  }

  @Test
  void refusesLimitsThatDoNotAddUp() {
    CreditLimits many = new CreditLimits(65_536, 100, 300_000, 1 << 20, 1, 1);
    assertThatThrownBy(() -> many.check(8 << 20)).hasMessageContaining("more than half");
    CreditLimits large = new CreditLimits(4096, 1, 5_000_000, 1 << 20, 1, 1);
    assertThatThrownBy(() -> large.check(8 << 20)).hasMessageContaining("two blocks");
  }
}
