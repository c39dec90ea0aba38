package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a core makes of disks that fail. */
class FencedDiskTest {
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final int PARTITIONS = 20;

  private final CoreFixture fixture = new CoreFixture(1, 8 * CoreFixture.MIB, 2);
  private final TestPeer peer = fixture.connect();
  private final int handle = peer.open(SHUFFLE, 5);
  private final List<TestBlock> blocks = new ArrayList<>();

  private MemoryStore disk(int number) {
    return fixture.stores.get(number);
  }

  private void push(long bytes, int attempt) {
    long pushed = 0;
    for (int i = 0; pushed < bytes; i++) {
      TestBlock block =
          new TestBlock(i % PARTITIONS, i % 50, 1000 * attempt + i % 50, i / 50, 20_000);
      fixture.push(peer, handle, block);
      blocks.add(block);
      pushed += block.length();
      fixture.finish(peer);
    }
  }

  private void assertEverythingIsThere() {
    TestPeer.Stream all = fixture.fetchAll(peer, handle, PARTITIONS);
    assertThat(all.blocks()).containsExactlyInAnyOrderElementsOf(blocks);
    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();
  }

  @Test
  void writesGoToTheOtherDisksWhileOneIsFencedAndComeBackToIt() {
    disk(0).fenced = true;
    push(24 * CoreFixture.MIB, 1);
    assertThat(disk(0).payloadBytes).isZero();
    assertThat(disk(1).payloadBytes).isGreaterThan(16 * CoreFixture.MIB);

    disk(0).unfence();
    push(24 * CoreFixture.MIB, 2);

    assertThat(disk(0).payloadBytes).isPositive();
    assertEverythingIsThere();
    assertThat(disk(0).staged()).isZero();
    assertThat(disk(1).staged()).isZero();
  }

  @Test
  void aFenceThatFallsEndsThePauseOfTheWriteThatFailed() {
    disk(0).fencesItself = true;
    disk(0).writesToFail = 2;
    disk(1).fenced = true;
    push(5 * CoreFixture.MIB, 1);
    assertThat(disk(0).fenced).isTrue();
    assertThat(disk(0).payloadBytes).isZero();

    // No time passes.
    disk(0).unfence();
    fixture.world.settle();

    assertThat(disk(0).payloadBytes).isPositive();
    assertEverythingIsThere();
  }

  @Test
  void aDrainEndsWhenNoDiskTakesAnythingForLongerThanOneThatWorksWould() {
    push(CoreFixture.MIB, 1);
    disk(0).fenced = true;
    disk(1).fenced = true;

    CompletableFuture<Boolean> drained = fixture.core.drain();
    fixture.world.advance(TimeUnit.SECONDS.toNanos(15));
    assertThat(drained).isNotDone();
    fixture.world.advance(TimeUnit.SECONDS.toNanos(1));

    assertThat(drained).isCompletedWithValue(false);
  }

  @Test
  void aReadThatFailsFailsOnlyItsFetchAndSaysWhatItWas() {
    push(24 * CoreFixture.MIB, 1);
    disk(0).readsToFail = 1;
    disk(1).readsToFail = 1;

    TestPeer.Stream failed = fixture.fetchAll(peer, handle, PARTITIONS);

    assertThat(failed.failure).isEqualTo(ErrorCode.DISK_FAILED);
    assertThat(failed.problem)
        .contains("partition ")
        .contains(SHUFFLE.toString())
        .containsPattern("disk[01]")
        .containsPattern("fetch 00000000@test/\\d+");
    disk(0).readsToFail = 0;
    disk(1).readsToFail = 0;
    assertEverythingIsThere();
  }

  private List<TestBlock> allBut(MemoryStore broken) {
    Set<TestBlock> lost = broken.blocks();
    List<TestBlock> healthy = blocks.stream().filter(block -> !lost.contains(block)).toList();
    assertThat(lost).isNotEmpty();
    assertThat(disk(1).blocks()).isNotEmpty();
    assertThat(healthy).hasSizeGreaterThan(disk(1).blocks().size()); // and there is some in memory
    return healthy;
  }

  @Test
  void whatABrokenDiskHoldsIsLeftOutAndAllElseArrivesWhole() {
    push(24 * CoreFixture.MIB, 1);
    disk(0).readsToFail = Integer.MAX_VALUE;
    disk(0).fenced = true;

    for (ErrorCode code : List.of(ErrorCode.DISK_FAILED, ErrorCode.DATA_LOST)) {
      disk(0).readFailure = code;
      TestPeer.Stream stream = fixture.fetchAll(peer, handle, PARTITIONS);

      assertThat(stream.failure).isEqualTo(code);
      assertThat(stream.problem).contains("partition ").contains("disk0").contains(" more");
      assertThat(stream.blocks()).containsExactlyInAnyOrderElementsOf(allBut(disk(0)));
    }
    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();
  }

  @Test
  void aFencedDiskThatFailsAllReadsIsNotTriedForEveryExtent() {
    push(24 * CoreFixture.MIB, 1);
    disk(0).readsToFail = Integer.MAX_VALUE;
    disk(0).fenced = true;
    int before = disk(0).reads;

    fixture.fetchAll(peer, handle, PARTITIONS);

    // Each failure may take seconds: three extents are enough, each with two reads at most.
    assertThat(disk(0).reads - before).isBetween(3, 6);
  }

  @Test
  void afterABlockThatBreaksOffTheRestOfItsPartitionComesWithTheNextFetch() {
    push(24 * CoreFixture.MIB, 1);
    disk(0).unreadableFrom = 10_000;
    disk(0).readFailure = ErrorCode.DATA_LOST;

    TestPeer.Stream first = fixture.fetchAll(peer, handle, PARTITIONS);
    TestPeer.Stream second = fixture.fetchAll(peer, handle, PARTITIONS);

    // Not DATA_LOST: it is worth while to ask again.
    assertThat(first.failure).isEqualTo(ErrorCode.DISK_FAILED);
    assertThat(first.problem).contains("left out");
    assertThat(first.byPartition).hasSize(PARTITIONS);
    assertThat(second.wholeBlocks()).containsAll(allBut(disk(0)));
    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();

    disk(0).unreadableFrom = Long.MAX_VALUE;
    assertEverythingIsThere();
  }

  @Test
  void aShuffleThatIsRemovedEndsAFetchThatCouldNotReadEverything() {
    push(24 * CoreFixture.MIB, 1);
    disk(0).readsToFail = 1;
    TestPeer.Stream stream = peer.fetch(handle, 0, PARTITIONS, 0, Integer.MAX_VALUE, 100_000);
    fixture.finish(peer);

    fixture.core.shuffles().remove(SHUFFLE);
    peer.addCredit(stream, 1L << 40);
    fixture.finish(peer);

    assertThat(stream.failure).isEqualTo(ErrorCode.UNKNOWN_SHUFFLE);
    assertThat(fixture.core.readBuffers().inUse()).isZero();
    assertThat(fixture.leases()).isZero();
  }
}
