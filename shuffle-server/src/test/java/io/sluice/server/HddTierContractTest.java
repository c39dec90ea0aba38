package io.sluice.server;

import io.sluice.server.disk.DiskOptions;
import io.sluice.server.segment.Tier;

/** The contract of tiers over real files, used as those of a spindle are. */
class HddTierContractTest extends LocalTierContractTest {
  HddTierContractTest() {
    super(Tier.HDD, DiskOptions.hdd());
  }
}
