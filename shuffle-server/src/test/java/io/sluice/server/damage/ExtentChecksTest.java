package io.sluice.server.damage;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.World;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.quota.TableShares;
import io.sluice.server.segment.Extent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who is looked at when, and who is not held up by whom. */
class ExtentChecksTest {
  private static final Object CONNECTION = new Object();
  private static final int SECOND_HEADER = BlockHeader.LENGTH + ParkedStore.STORED;

  private final World world = new World(1);
  private final ServerStats stats = new ServerStats();
  private final ExtentChecks checks = new ExtentChecks(world.executor(), world, stats);
  private final ParkedStore disk = new ParkedStore("a");
  private final ParkedStore other = new ParkedStore("b");
  private final Shuffle shuffle = shuffle(1);

  private static Shuffle shuffle(int application) {
    ShuffleKey key = new ShuffleKey(ApplicationId.of(1, application), 0, 0);
    return new Shuffle(
        key,
        1 << 20,
        new TableShares(new TableBudget(1 << 20)).acquire(key.application()),
        new Quotas(QuotaLimits.NONE).acquire(key.application()));
  }

  private static Extent add(ParkedStore store, Shuffle to, int partition) {
    Extent extent = store.add(partition);
    to.partition(partition).recovered(new StoredExtent(store, extent));
    return extent;
  }

  private void complain(Shuffle of, int partition) {
    checks.complaint(CONNECTION, of, partition, false);
    world.settle();
  }

  private void answerAll(ParkedStore store) {
    world.settle();
    while (!store.parked.isEmpty()) {
      assertThat(store.parked).as("reads at a time").hasSize(1);
      store.answer();
      world.settle();
    }
  }

  private static List<Integer> lengths(Shuffle of, int partition) {
    return of.partition(partition).extents(extent -> true).stream()
        .map(stored -> stored.extent().length())
        .toList();
  }

  /** What a second look of a reader of all of them comes to: no partition is left for a third. */
  @Test
  void damageInOnePartitionIsLookedForInAllOfItsUnit() {
    int partitions = 20;
    for (int unit = 0; unit < 3; unit++) {
      for (int partition = 0; partition < partitions; partition++) {
        Extent extent = add(disk, shuffle, partition);
        if (unit == 1) {
          disk.zero(extent, SECOND_HEADER, BlockHeader.LENGTH);
        }
      }
      disk.endUnit();
    }

    complain(shuffle, 7);
    disk.answer();
    world.settle();
    assertThat(await(8)).as("nothing known of damage in the first unit").isNull();
    LookWait asked = requireNonNull(await(7));
    disk.answer();
    world.settle();
    assertThat(asked.over()).as("a third unit is left of it").isFalse();
    disk.answer();
    world.settle();
    assertThat(asked.over()).as("it does not wait for others").isTrue();
    assertThat(await(7)).isNull();
    LookWait neighbour = requireNonNull(await(8));
    answerAll(disk);

    assertThat(neighbour.over()).isTrue();
    List<Integer> order = new ArrayList<>(List.of(7, 7, 7));
    IntStream.range(0, partitions).filter(partition -> partition != 7).forEach(order::add);
    assertThat(disk.read).as("its own first, then as readers go").isEqualTo(order);
    assertThat(stats.cutExtents()).isEqualTo(partitions);
    for (int partition = 0; partition < partitions; partition++) {
      assertThat(lengths(shuffle, partition))
          .containsExactly(ParkedStore.EXTENT_BYTES, SECOND_HEADER, ParkedStore.EXTENT_BYTES);
    }
    assertThat(disk.read).as("of the other units partition 7 alone").hasSize(partitions + 2);
    assertThat(checks.looking()).isZero();
  }

  private @Nullable LookWait await(int partition) {
    return checks.await(shuffle.partition(partition), LookWait.MAX_NANOS, () -> {});
  }

  @Test
  void aDiskThatHangsHoldsUpNoOther() {
    add(disk, shuffle, 0);
    other.zero(add(other, shuffle, 1), SECOND_HEADER, BlockHeader.LENGTH);

    complain(shuffle, 0);
    complain(shuffle, 1);
    answerAll(other);

    assertThat(disk.parked).hasSize(1);
    assertThat(lengths(shuffle, 1)).containsExactly(SECOND_HEADER);
  }

  @Test
  void aDiskThatHangsIsWaitedForUntilItIsFenced() {
    add(disk, shuffle, 0);
    add(disk, shuffle, 1);
    complain(shuffle, 0);
    complain(shuffle, 1);
    ParkedStore.Parked hung = requireNonNull(disk.parked.poll());
    assertThat(disk.parked).isEmpty();

    disk.fence.stalled(1);
    world.settle();

    assertThat(disk.read).containsExactly(0, 1);
    assertThat(requireNonNull(disk.parked.peek()).target()).isNotSameAs(hung.target());
    assertThat(await(0)).isNull();
    hung.callback().read(null);
    world.settle();
    assertThat(disk.parked).as("what comes late begins nothing").hasSize(1);
    answerAll(disk);
    assertThat(checks.looking()).isZero();
  }

  /** It is read on, until it hangs. */
  @Test
  void aDiskThatIsFencedForAWriteAndThenHangsIsGivenUp() {
    add(disk, shuffle, 0);
    add(disk, shuffle, 1);
    add(disk, shuffle, 2);
    complain(shuffle, 0);
    complain(shuffle, 1);
    complain(shuffle, 2);

    disk.fence.writeFailed(new IOException("by the test"));
    world.settle();
    assertThat(disk.read).as("the read may well come back").containsExactly(0);
    disk.answer();
    world.settle();
    LookWait hung = requireNonNull(await(1));
    disk.fence.stalled(1);
    world.settle();

    assertThat(hung.over()).isTrue();
    assertThat(disk.read).containsExactly(0, 1, 2);
  }

  @Test
  void whoComplainsAgainWaitsForWhatHasComeThoughTheLookIsAtOtherPartitions() {
    disk.zero(add(disk, shuffle, 0), SECOND_HEADER, BlockHeader.LENGTH);
    for (int partition = 1; partition < 4; partition++) {
      add(disk, shuffle, partition);
    }
    complain(shuffle, 0);
    disk.answer();
    world.settle();
    assertThat(await(0)).isNull();
    add(disk, shuffle, 0);
    complain(shuffle, 0);
    LookWait again = requireNonNull(await(0));
    disk.answer();
    world.settle();
    disk.answer();
    world.settle();

    assertThat(again.over()).isTrue();
    assertThat(disk.read).containsExactly(0, 1, 0, 2);
    answerAll(disk);
    assertThat(checks.looking()).isZero();
  }

  @Test
  void failuresThatAreNotTheDisksDoNotGiveItUp() {
    for (int i = 0; i < 10; i++) {
      add(disk, shuffle, 0);
    }
    complain(shuffle, 0);
    for (int i = 0; i < 5; i++) {
      disk.fail(i < 4 ? ErrorCode.CORRUPT_UNIT : ErrorCode.DISK_FAILED);
      world.settle();
    }
    answerAll(disk);

    assertThat(disk.read).hasSize(10);
    assertThat(checks.looking()).isZero();
  }

  @Test
  void aDiskThatIsWellIsNotGivenUpForBadSectors() {
    for (int i = 0; i < 10; i++) {
      add(disk, shuffle, 0);
    }
    complain(shuffle, 0);
    for (int i = 0; i < 9; i++) {
      disk.fail(ErrorCode.DISK_FAILED);
      world.settle();
    }
    answerAll(disk);

    assertThat(disk.read).hasSize(10);
  }

  @Test
  void aDiskWithTooManyReadersIsAskedAgainAfterAPause() {
    add(disk, shuffle, 0);
    add(disk, shuffle, 1);
    complain(shuffle, 0);
    complain(shuffle, 1);
    LookWait wait = requireNonNull(await(0));
    for (int i = 0; i < 8; i++) {
      disk.fail(ErrorCode.TOO_MANY_STREAMS);
      world.settle();
      assertThat(disk.parked).isEmpty();
      complain(shuffle, 1);
      assertThat(disk.parked).as("within the pause").isEmpty();
      world.advance(StoreLine.PAUSE_NANOS);
      assertThat(disk.parked).hasSize(1);
    }

    assertThat(wait.over()).isFalse();
    answerAll(disk);
    assertThat(wait.over()).isTrue();
    assertThat(checks.looking()).isZero();
  }

  @Test
  void threeFailedReadsInARowGiveADiskThatIsIllUpForThisLook() {
    for (int i = 0; i < 10; i++) {
      add(disk, shuffle, 0);
    }
    disk.fence.writeFailed(new IOException("by the test"));
    for (int looks = 1; looks <= 2; looks++) {
      complain(shuffle, 0);
      while (!disk.parked.isEmpty()) {
        disk.fail(ErrorCode.DISK_FAILED);
        world.settle();
      }
      assertThat(disk.read).hasSize(3 * looks);
      assertThat(checks.looking()).isZero();
    }
    complain(shuffle, 0);
    disk.fail(ErrorCode.DISK_FAILED);
    world.settle();
    answerAll(disk);
    assertThat(disk.read).hasSize(6 + 10);
  }

  @Test
  void goesOnWithOthersAfterAnError() {
    add(disk, shuffle, 0);
    add(disk, shuffle, 1);
    disk.toThrow = new OutOfMemoryError("by the test");

    complain(shuffle, 0);
    complain(shuffle, 1);

    assertThat(await(0)).isNull();
    assertThat(disk.read).containsExactly(0, 1);
    assertThat(
            disk.parked.stream().map(parked -> System.identityHashCode(parked.target())).distinct())
        .as("what is read is not read over")
        .hasSize(2);
    // The one that threw is answered after all: no second read at a time comes of it.
    disk.answer();
    world.settle();
    answerAll(disk);
    assertThat(checks.looking()).isZero();
    complain(shuffle, 0);
    answerAll(disk);
    assertThat(disk.read).containsExactly(0, 1, 0);
  }

  @Test
  void applicationsTakeTurns() {
    Shuffle honest = shuffle(2);
    for (int partition = 0; partition < 10; partition++) {
      add(disk, shuffle, partition);
      add(disk, shuffle, partition);
      complain(shuffle, partition);
    }
    add(disk, honest, 100);
    complain(honest, 100);
    answerAll(disk);

    assertThat(disk.read.indexOf(100)).isEqualTo(1);
    assertThat(disk.read).hasSize(21);
  }

  @Test
  void aConnectionAndAnApplicationHaveFewPlaces() {
    List<Object> connections = new ArrayList<>();
    for (int partition = 0; partition < 200; partition++) {
      if (partition % 20 == 0) {
        connections.add(new Object());
      }
      add(disk, shuffle, partition);
      checks.complaint(connections.get(partition / 20), shuffle, partition, false);
      if (partition == 19) {
        assertThat(checks.looking()).isEqualTo(StoreLine.CONNECTION_MAX);
      }
    }
    assertThat(checks.looking()).isEqualTo(StoreLine.APPLICATION_MAX);
    Shuffle honest = shuffle(2);
    add(disk, honest, 1000);
    complain(honest, 1000);
    answerAll(disk);

    assertThat(new HashSet<>(disk.read)).hasSize(StoreLine.APPLICATION_MAX + 1).contains(1000);
    complain(shuffle, 199);
    answerAll(disk);
    assertThat(disk.read).as("there are places again").contains(199);
  }

  @Test
  void whatWasLookedAtLatelyIsNotReadAgainForTenMinutes() {
    add(disk, shuffle, 0);
    complain(shuffle, 0);
    answerAll(disk);

    complain(shuffle, 0);
    assertThat(await(0)).isNull();
    assertThat(disk.read).hasSize(1);
    add(disk, shuffle, 0);
    complain(shuffle, 0);
    answerAll(disk);
    assertThat(disk.read).as("what has come since").hasSize(2);

    world.advance(TimeUnit.MINUTES.toNanos(10));
    complain(shuffle, 0);
    answerAll(disk);
    assertThat(disk.read).hasSize(4);
  }

  /** It has gone bad since, or lies in memory. */
  @Test
  void aDamagedHeaderIsLookedForAgainAfterHalfAMinute() {
    add(disk, shuffle, 0);
    complain(shuffle, 0);
    answerAll(disk);

    world.advance(TimeUnit.SECONDS.toNanos(30) - 1);
    checks.complaint(CONNECTION, shuffle, 0, true);
    answerAll(disk);
    assertThat(disk.read).hasSize(1);
    world.advance(1);
    complain(shuffle, 0);
    assertThat(disk.read).hasSize(1);
    checks.complaint(CONNECTION, shuffle, 0, true);
    answerAll(disk);
    assertThat(disk.read).hasSize(2);
  }

  @Test
  void whatComesDuringALookIsLookedAtIfSomebodyComplainsAgain() {
    add(disk, shuffle, 0);
    complain(shuffle, 0);
    add(disk, shuffle, 0);
    complain(shuffle, 0);
    answerAll(disk);

    assertThat(disk.read).hasSize(2);
  }

  @Test
  void ofARemovedShuffleNothingIsReadAnyMore() {
    for (int partition = 0; partition < 4; partition++) {
      add(disk, shuffle, partition);
      add(disk, shuffle, partition);
      complain(shuffle, partition);
    }
    assertThat(checks.looking()).isEqualTo(4);
    LookWait wait = requireNonNull(await(3));

    shuffle.remove();
    checks.shufflesRemoved();

    assertThat(checks.looking()).as("the one that is being read").isEqualTo(1);
    assertThat(wait.over()).isTrue();
    answerAll(disk);
    assertThat(disk.read).hasSize(1);
    assertThat(checks.looking()).isZero();
    complain(shuffle, 2);
    assertThat(checks.looking()).isZero();
  }

  @Test
  void whoeverWaitsIsWokenOnceAtTheEndOrAfterLongEnoughOrNotAtAll() {
    add(disk, shuffle, 0);
    assertThat(await(0)).as("before anybody complained").isNull();
    complain(shuffle, 0);
    List<String> woken = new ArrayList<>();
    LookWait closed = await(woken, "closed", LookWait.MAX_NANOS);
    LookWait late = await(woken, "late", 1_000);
    LookWait ended = await(woken, "ended", LookWait.MAX_NANOS);

    closed.close();
    world.advance(1_000);
    assertThat(woken).containsExactly("late");
    assertThat(late.over()).isTrue();
    assertThat(late.nanos()).isEqualTo(1_000);
    world.advance(50);
    answerAll(disk);
    assertThat(woken).containsExactly("late", "ended");
    assertThat(ended.nanos()).isEqualTo(1_050);
    world.advance(2 * LookWait.MAX_NANOS);
    assertThat(woken).hasSize(2);
  }

  private LookWait await(List<String> woken, String who, long nanos) {
    return requireNonNull(checks.await(shuffle.partition(0), nanos, () -> woken.add(who)));
  }
}
