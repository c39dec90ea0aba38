package io.sluice.server.segment;

import io.sluice.common.time.Clock;
import io.sluice.server.disk.LocalDisk;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;

/**
 * A process that writes units until it is killed, and prints the partition of each one that is
 * acknowledged. Argument: the directory.
 */
final class WritingProcess {
  /** Units in flight: both staging buffers, and one waiting. */
  private static final int IN_FLIGHT = 3;

  private WritingProcess() {}

  @SuppressWarnings("SystemOut") // the parent reads it
  public static void main(String[] arguments) throws InterruptedException {
    LocalSegmentStore store =
        LocalSegmentStore.open(
            LocalDisk.open(Path.of(arguments[0])),
            SegmentStoreContractTest.OPTIONS,
            1,
            Clock.system());
    StoreDriver driver = new StoreDriver(store);
    Semaphore inFlight = new Semaphore(IN_FLIGHT);
    for (int partition = 0; ; partition++) {
      inFlight.acquire();
      UnitBuilder unit = driver.stage(SegmentStoreContractTest.SHUFFLE);
      TestBlocks.stage(unit, partition, 3, ProcessDeathTest.LENGTH);
      int acknowledged = partition;
      store.write(
          unit,
          (extents, failure) -> {
            if (failure != null) {
              failure.printStackTrace();
            } else {
              System.out.println(acknowledged);
            }
            inFlight.release();
          });
    }
  }
}
