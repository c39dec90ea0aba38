package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Scheduler;
import io.sluice.server.segment.SegmentStore;
import java.util.List;

/** The contract of tiers where a core has no store: all of it stays in memory. */
class MemoryTierContractTest extends TierContractTest {
  @Override
  protected List<SegmentStore> openStores(Scheduler scheduler) {
    return List.of();
  }

  @Override
  protected List<String> segmentFiles() {
    return List.of();
  }

  @Override
  protected void assertHolds(ServerCore core, long bytes) {
    assertThat(core.stats().flushedBytes()).isZero();
    assertThat(core.arena().chunkBytes()).isGreaterThanOrEqualTo(bytes);
    assertThat(core.unsavedBytes()).isEqualTo(bytes);
  }
}
