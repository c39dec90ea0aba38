package io.sluice.server;

import io.sluice.server.disk.DiskOptions;
import io.sluice.server.segment.Tier;

/** The contract of tiers over real files, used as those of a flash disk are. */
class SsdTierContractTest extends LocalTierContractTest {
  SsdTierContractTest() {
    super(Tier.SSD, DiskOptions.ssd());
  }
}
