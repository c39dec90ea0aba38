package io.sluice.server.segment;

import io.sluice.common.time.Clock;
import io.sluice.server.catalog.SimulatedCatalog;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.SimulatedDisk;
import io.sluice.server.disk.ThreadedDiskQueue;
import java.util.List;

/** The contract over the simulated disk, which fails a close with files left open. */
class SimulatedSegmentStoreTest extends SegmentStoreContractTest {
  private final SimulatedDisk disk = new SimulatedDisk("sim", 1 << 30);
  private final SimulatedCatalog catalog = new SimulatedCatalog();

  @Override
  protected LocalSegmentStore open(DiskOptions options, long incarnation) {
    disk.restart();
    return LocalSegmentStore.open(
        new StoreParts(disk, catalog, new ThreadedDiskQueue("sim", options)),
        options,
        incarnation,
        Clock.system());
  }

  @Override
  protected List<String> segmentFiles() {
    return disk.files();
  }
}
