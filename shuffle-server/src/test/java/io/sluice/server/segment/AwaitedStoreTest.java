package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.World;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitedStoreTest {
  private final World world = new World(1);
  private final SimulatedStore there =
      new SimulatedStore(
          new SimulatedDisk("sim", 1 << 30), new SimulatedCatalog(), SimulatedStore.OPTIONS, world);
  private final List<String> events = new ArrayList<>();
  private final List<AwaitedStore> closing = new ArrayList<>();
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger tries = new AtomicInteger();
  private final AwaitedStore store =
      new AwaitedStore(
          new AwaitedStore.Site("sim", Tier.HDD, 65536, 100),
          problem("no such disk"),
          this::open,
          world,
          world.executor());

  private AwaitedStore.Opened open() {
    tries.incrementAndGet();
    if (failures.getAndDecrement() > 0) {
      throw problem("not yet");
    }
    return new AwaitedStore.Opened(there.store(), () -> events.add("closed"));
  }

  private static SluiceException problem(String detail) {
    return new SluiceException(ErrorCode.DISK_FAILED, detail);
  }

  private void pass(int seconds) {
    world.advance(TimeUnit.SECONDS.toNanos(seconds));
  }

  @Test
  void isFencedAndEmptyUntilItOpensAndThenIsThatStore() {
    Extent extent = there.write(1, 1, 2, 3000);
    there.restart();
    failures.set(1);
    store.onHealthChange(() -> events.add(store.health().healthy() ? "healthy" : "fenced"));
    store.start(() -> events.add("taken up " + store.recovered().size()));
    store.tally(TestBlocks.shuffle(1), 9, (tally, failure) -> events.add("no tally: " + failure));

    assertThat(events).singleElement().asString().contains("DATA_LOST");
    events.clear();
    assertThat(store.health().problem()).isEqualTo("no such disk");
    assertThat(store.health().readable()).isFalse();
    assertThat(store.usage().healthy()).isFalse();
    assertThat(store.recovered()).isEmpty();
    assertThat(store.tryStage(TestBlocks.shuffle(2), () -> events.add("woken"))).isNull();

    pass(1);
    assertThat(store.health().problem()).isEqualTo("not yet");
    pass(2);

    assertThat(events).containsExactly("taken up 1", "healthy", "woken");
    assertThat(store.health().healthy()).isTrue();
    assertThat(store.usage().healthy()).isTrue();
    assertThat(store.recovered().get(TestBlocks.shuffle(1)))
        .singleElement()
        .satisfies(found -> assertThat(found.offset()).isEqualTo(extent.offset()));
    CompletableFuture<MapTally> tally = new StoreDriver(store).startTally(TestBlocks.shuffle(1));
    there.queue().runChores();
    assertThat(TestBlocks.whole(StoreDriver.await(tally), 0))
        .containsExactly("0/1000:1", "1/1001:1");
    there.disk().faults().failWrites(1);
    assertThat(there.startWrite(1, unit -> TestBlocks.stage(unit, 1, 1, 3000)))
        .isCompletedExceptionally();
    assertThat(events).endsWith("fenced");
    store.close();
    assertThat(events).endsWith("closed");
  }

  @Test
  void isTriedLessAndLessOften() {
    failures.set(Integer.MAX_VALUE);
    store.start(() -> events.add("taken up"));

    // After 1, 3, 7, 15, 31 s, then every 30 s.
    pass(31);
    assertThat(tries).hasValue(5);
    pass(60);
    assertThat(tries).hasValue(7);
    store.close();
    pass(600);
    assertThat(tries).hasValue(7);
    assertThat(events).isEmpty();
  }

  @Test
  void whatOpensTooLateIsClosedAgain() {
    AwaitedStore late =
        new AwaitedStore(
            new AwaitedStore.Site("late", Tier.SSD, 65536, 100),
            problem("no such disk"),
            this::openAndClose,
            world,
            world.executor());
    closing.add(late);
    late.start(() -> events.add("taken up"));

    pass(1);

    assertThat(events).containsExactly("closed");
    assertThat(late.health().healthy()).isFalse();
  }

  private AwaitedStore.Opened openAndClose() {
    closing.forEach(AwaitedStore::close);
    return open();
  }
}
