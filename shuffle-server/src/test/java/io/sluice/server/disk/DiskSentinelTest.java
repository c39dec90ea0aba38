package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.World;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DiskSentinelTest {
  private final World world = new World(1);
  private final StepQueue queue = new StepQueue();
  private final SimulatedDisk disk = new SimulatedDisk("sim", 1 << 20);
  private final DiskFence fence = new DiskFence("sim", world, DiskFence.PROBES_MIN);
  private final IoMeter meter = new IoMeter(world);
  private final AtomicInteger records = new AtomicInteger();

  private DiskSentinel sentinel(long neededSpace, Runnable stalled) {
    return new DiskSentinel(
        new DiskSentinel.Watched(disk, queue, fence, meter, records::incrementAndGet),
        neededSpace,
        world,
        new DiskSentinel.Events() {
          @Override
          public void stalled() {
            stalled.run();
          }

          @Override
          public void healed() {}
        });
  }

  private void probe(int times) {
    for (int i = 0; i < times; i++) {
      world.advance(DiskSentinel.PROBE_NANOS);
      queue.runChores();
    }
  }

  @Test
  void goesOnWatchingWhoeverFailsWhenToldOfAStall() {
    AtomicInteger told = new AtomicInteger();
    DiskSentinel sentinel =
        sentinel(
            0,
            () -> {
              if (told.getAndIncrement() == 0) {
                throw new IllegalStateException("told to fail");
              }
            });
    IoMeter.Access access = meter.begin(IoMeter.Kind.READ);
    sentinel.accessBegan();

    assertThatThrownBy(() -> world.advance(TimeUnit.SECONDS.toNanos(30)))
        .hasMessage("told to fail");
    probe(1);
    assertThat(told).as("looks again").hasValue(2);
    assertThat(fence.current().readable()).isFalse();
    access.end();
    probe(5);

    assertThat(fence.current().readable()).isTrue();
    assertThat(fence.current().healthy()).isTrue();
  }

  /** Whoever is told that the disk works may write to it, and fail, before its prober goes on. */
  @Test
  void probesADiskThatFailsAgainWhileItsHealthIsTold() {
    DiskSentinel sentinel = sentinel(0, () -> {});
    AtomicInteger told = new AtomicInteger();
    fence.onChange(
        () -> {
          if (fence.current().healthy() && told.getAndIncrement() == 0) {
            fence.writeFailed(new IOException("broken again"));
            sentinel.suspect();
          }
        });
    fence.writeFailed(new IOException("broken"));
    sentinel.suspect();

    probe(2);
    assertThat(told).hasValue(1);
    assertThat(fence.current().healthy()).isFalse();
    probe(10);

    assertThat(fence.current().healthy()).isTrue();
  }

  /** A catalog that works would fail at it for good. */
  @Test
  void writesNoRecordWhereThereIsNoRoom() {
    DiskSentinel sentinel = sentinel(1 << 19, () -> {});
    disk.grow(1 << 18);
    fence.writeFailed(new IOException("no room"));
    sentinel.suspect();

    probe(10);
    assertThat(records).hasValue(0);
    assertThat(fence.current().healthy()).isFalse();
    disk.grow(1 << 20);
    probe(2);

    assertThat(records).hasValue(2);
    assertThat(fence.current().healthy()).isTrue();
  }
}
