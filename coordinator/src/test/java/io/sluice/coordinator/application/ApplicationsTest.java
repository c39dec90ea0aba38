package io.sluice.coordinator.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.testing.ManualScheduler;
import io.sluice.coordinator.testing.Servers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApplicationsTest {
  private static final ApplicationId ID = ApplicationId.of(1, 1);
  private static final LeaseTerms LEASE =
      new LeaseTerms(TimeUnit.SECONDS.toNanos(10), TimeUnit.MINUTES.toNanos(5));

  private final ManualScheduler scheduler = new ManualScheduler();
  private final List<ApplicationId> expired = new ArrayList<>();
  private int placements;

  private Applications applications(ApplicationRecord... known) {
    return new Applications(scheduler, LEASE, List.of(known), expired::add);
  }

  private static ApplicationRecord record() {
    return new ApplicationRecord(ID, "app-1", "ada", "spark", "0.1", 42);
  }

  private Placement place(int partitions) {
    placements++;
    return new Placement(List.of(Servers.address(1, 1)), 1, new int[partitions]);
  }

  private static ShuffleSpec spec(int shuffle, int partitions) {
    return new ShuffleSpec(new ShuffleKey(ID, shuffle, 0), partitions, 1);
  }

  private static ErrorCode codeOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return catchThrowableOfType(SluiceException.class, call).code();
  }

  @Test
  void asksForEachRegistrationToBePersistedOnce() {
    Applications applications = applications();

    assertThat(applications.register(record())).isEqualTo(record());
    assertThat(applications.register(record())).isNull();
    assertThat(applications.views()).hasSize(1);
  }

  @Test
  void expiresAfterTheLeaseOfTheLastHeartbeat() {
    Applications applications = applications();
    applications.register(record());
    scheduler.advance(4, TimeUnit.MINUTES);
    applications.heartbeat(ID);

    scheduler.advance(299, TimeUnit.SECONDS);
    assertThat(expired).isEmpty();
    scheduler.advance(1, TimeUnit.SECONDS);

    assertThat(expired).containsExactly(ID);
    assertThat(codeOf(() -> applications.heartbeat(ID))).isEqualTo(ErrorCode.UNKNOWN_APPLICATION);
    assertThat(scheduler.pending()).isZero();
  }

  @Test
  void anApplicationThatAskedForALongerLeaseMayBeSilentForAsLong() {
    Applications applications = applications();
    applications.register(
        new ApplicationRecord(
            ID,
            "job_1_2",
            "ada",
            "mapreduce",
            "0.1",
            42,
            null,
            TimeUnit.HOURS.toMillis(24),
            false));

    scheduler.advance(23, TimeUnit.HOURS);
    applications.heartbeat(ID);
    scheduler.advance(86_399, TimeUnit.SECONDS);
    assertThat(expired).isEmpty();
    scheduler.advance(1, TimeUnit.SECONDS);

    assertThat(expired).containsExactly(ID);
    assertThat(scheduler.pending()).isZero();
  }

  @Test
  void aShorterLeaseThanThatOfOthersIsNotKept() {
    LeaseTerms same = LEASE.atLeast(TimeUnit.MINUTES.toMillis(5));
    LeaseTerms longer = LEASE.atLeast(TimeUnit.HOURS.toMillis(1));

    assertThat(same).isSameAs(LEASE);
    assertThat(longer.expiryNanos()).isEqualTo(TimeUnit.HOURS.toNanos(1));
    assertThat(longer.heartbeatIntervalNanos()).isEqualTo(TimeUnit.MINUTES.toNanos(2));
  }

  @Test
  void placesAShuffleOncePerGeneration() {
    Applications applications = applications();
    applications.register(record());

    Placement first = applications.placement(spec(3, 8), () -> place(8));
    assertThat(applications.placement(spec(3, 8), () -> place(8))).isSameAs(first);
    ShuffleSpec next = new ShuffleSpec(new ShuffleKey(ID, 3, 1), 8, 1);
    assertThat(applications.placement(next, () -> place(8))).isNotSameAs(first);

    assertThat(placements).isEqualTo(2);
    assertThat(applications.shuffles()).isEqualTo(2);
  }

  @Test
  void refusesToChangeAnExistingShuffle() {
    Applications applications = applications();
    applications.register(record());
    applications.placement(spec(3, 8), () -> place(8));

    assertThat(codeOf(() -> applications.placement(spec(3, 9), () -> place(9))))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void remembersNothingOfAPlacementThatFailed() {
    Applications applications = applications();
    applications.register(record());

    assertThatThrownBy(
            () ->
                applications.placement(
                    spec(1, 4),
                    () -> {
                      throw new SluiceException(ErrorCode.NO_SERVERS, "none");
                    }))
        .hasMessageContaining("none");

    assertThat(applications.shuffles()).isZero();
    assertThat(applications.placement(spec(1, 4), () -> place(4)).partitions()).isEqualTo(4);
  }

  @Test
  void boundsTheAssignmentsItRemembers() {
    Applications applications = applications();
    applications.register(record());
    int perShuffle = ShuffleSpec.MAX_ASSIGNMENTS;
    int fitting = (int) (ShuffleBudget.MAX_ASSIGNMENTS / perShuffle);
    // One array serves all, only its length is counted.
    Placement shared = place(perShuffle);
    for (int i = 0; i < fitting; i++) {
      applications.placement(spec(i, perShuffle), () -> shared);
    }

    assertThat(codeOf(() -> applications.placement(spec(fitting, perShuffle), () -> shared)))
        .isEqualTo(ErrorCode.QUOTA_EXCEEDED);
    applications.removeShuffle(new ShuffleKey(ID, 0, 0));
    assertThat(applications.placement(spec(fitting, perShuffle), () -> shared)).isSameAs(shared);
  }

  @Test
  void boundsTheShufflesOfAnApplicationThatHaveNoPartitionsToo() {
    Applications applications = applications();
    applications.register(record());
    Placement empty = place(0);
    for (int i = 0; i < ShuffleBudget.MAX_SHUFFLES; i++) {
      applications.placement(spec(i, 0), () -> empty);
    }

    ShuffleSpec next = spec(ShuffleBudget.MAX_SHUFFLES, 0);
    assertThat(codeOf(() -> applications.placement(next, () -> empty)))
        .isEqualTo(ErrorCode.QUOTA_EXCEEDED);
    assertThat(applications.placement(spec(7, 0), () -> empty)).as("again").isSameAs(empty);
    applications.removeShuffle(spec(7, 0).shuffle());
    assertThat(applications.placement(next, () -> empty)).isSameAs(empty);
  }

  @Test
  void boundsTheShufflesOfAllApplicationsThatHaveNoPartitions() {
    Applications applications = applications();
    applications.register(record());
    int most = ShuffleSpec.MAX_ASSIGNMENTS;
    // Only their lengths are counted.
    Placement large = place(most);
    Placement empty = place(0);
    long room = ShuffleBudget.MAX_ASSIGNMENTS;
    int shuffles = 0;
    for (; room >= most + ShuffleBudget.SHUFFLE_COST; room -= most + ShuffleBudget.SHUFFLE_COST) {
      applications.placement(spec(shuffles++, most), () -> large);
    }
    int rest = (int) room - 3 * ShuffleBudget.SHUFFLE_COST;
    applications.placement(spec(shuffles++, rest), () -> place(rest));
    applications.placement(spec(shuffles++, 0), () -> empty);
    applications.placement(spec(shuffles++, 0), () -> empty);

    ShuffleSpec next = spec(shuffles, 0);
    assertThat(codeOf(() -> applications.placement(next, () -> empty)))
        .isEqualTo(ErrorCode.QUOTA_EXCEEDED);
    assertThat(applications.remove(ID)).isTrue();
    applications.register(record());
    assertThat(applications.placement(next, () -> empty)).as("all is given back").isSameAs(empty);
  }

  @Test
  void oneApplicationMayPlaceAndRemoveShufflesForEver() {
    Applications applications = applications();
    applications.register(record());
    int atATime = 1_000;
    // More in all than one application, and than the cluster, may have at a time.
    int inAll = 700_000;
    Placement tiny = place(1);
    for (int i = 0; i < inAll; i++) {
      applications.placement(spec(i, 1), () -> tiny);
      if (i >= atATime) {
        assertThat(applications.removeShuffle(spec(i - atATime, 1).shuffle())).isSameAs(tiny);
      }
    }

    assertThat(applications.shuffles()).isEqualTo(atATime);
    assertThat(applications.copies(ID)).isEqualTo(atATime);
  }

  @Test
  void oneApplicationCannotTellOfMoreShufflesThanItMayHave() {
    Applications applications = applications();
    applications.register(record());
    applications.placement(spec(0, 1), () -> place(1));
    // With several heartbeats.
    for (int beat = 0; beat < 3; beat++) {
      Map<ShuffleKey, Integer> has = new HashMap<>();
      for (int i = 1; i <= 6_000; i++) {
        has.put(spec(beat * 6_000 + i, 1).shuffle(), 1);
      }
      applications.tell(ID, has);
    }

    assertThat(applications.earlierShuffles(ID)).hasSize(Applications.MAX_TOLD_BY_ONE);
    applications.placement(spec(1, 1), () -> place(1));
    assertThat(applications.earlierShuffles(ID))
        .as("placed anew, it is told of no more")
        .hasSize(Applications.MAX_TOLD_BY_ONE - 1);
    applications.tell(ID, Map.of(spec(2_000_000, 1).shuffle(), 1));
    assertThat(applications.earlierShuffles(ID)).hasSize(Applications.MAX_TOLD_BY_ONE);
  }

  @Test
  void staysBackOnceItIsBack() {
    Applications applications = applications(record());
    ApplicationRecord back = record().asReturned();

    assertThat(applications.register(back)).as("to be persisted").isEqualTo(back);
    assertThat(applications.register(record())).as("known as returned").isNull();
    assertThat(applications.views().get(0).application()).isEqualTo(back);
    assertThat(applications.returned().of(ID)).isTrue();
    applications.remove(ID);
    assertThat(applications.returned().of(ID)).isNull();
    assertThat(codeOf(() -> applications.register(back)))
        .as("it has ended, as a process of it may not know")
        .isEqualTo(ErrorCode.UNKNOWN_APPLICATION);
  }

  @Test
  void knowsApplicationsOfAnEarlierTermForAWholeLease() {
    Applications applications = applications(record());
    applications.heartbeat(ID);

    scheduler.advance(5, TimeUnit.MINUTES);

    assertThat(expired).containsExactly(ID);
  }

  @Test
  void givesAnApplicationThatOnlyServersKnowOneLeaseToRegister() {
    Applications applications = applications();
    applications.adopt(ID);

    assertThat(codeOf(() -> applications.heartbeat(ID))).isEqualTo(ErrorCode.UNKNOWN_APPLICATION);
    assertThat(applications.views()).isEmpty();
    scheduler.advance(4, TimeUnit.MINUTES);
    // Servers that say hello again must not prolong it.
    applications.adopt(ID);
    scheduler.advance(1, TimeUnit.MINUTES);

    assertThat(expired).containsExactly(ID);
  }

  @Test
  void keepsAnAdoptedApplicationThatRegistersInTime() {
    Applications applications = applications();
    applications.adopt(ID);
    scheduler.advance(4, TimeUnit.MINUTES);

    assertThat(applications.register(record())).isEqualTo(record());
    scheduler.advance(4, TimeUnit.MINUTES);

    assertThat(expired).isEmpty();
    applications.heartbeat(ID);
  }

  @Test
  void takesItsOwnStallOutOfTheSilence() {
    Applications applications = applications();
    applications.register(record());

    scheduler.stall(20, TimeUnit.MINUTES);
    scheduler.advance(0, TimeUnit.SECONDS);

    assertThat(expired).isEmpty();
    applications.heartbeat(ID);
  }

  @Test
  void dropsTheShufflesWithTheApplication() {
    Applications applications = applications();
    applications.register(record());
    applications.placement(spec(1, 4), () -> place(4));

    assertThat(applications.remove(ID)).isTrue();
    assertThat(applications.remove(ID)).isFalse();

    assertThat(applications.shuffles()).isZero();
    assertThat(applications.removeShuffle(new ShuffleKey(ID, 1, 0))).isNull();
  }

  @ParameterizedTest
  @CsvSource({"-1,1", "10000000,1", "500000,3", "1,0", "1,6", "1,-1", "2147483647,5"})
  void refusesHostileNumbers(int partitions, int replicas) {
    assertThat(codeOf(() -> new ShuffleSpec(new ShuffleKey(ID, 1, 0), partitions, replicas)))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }
}
