package io.sluice.tier.hdfs;

import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;

/** How a server finds this module. */
public final class HdfsTierProvider implements RemoteTier.Provider {
  /** For {@link java.util.ServiceLoader}. */
  public HdfsTierProvider() {}

  @Override
  public String scheme() {
    return "hdfs";
  }

  @Override
  public RemoteTier open(RemoteTierSettings settings) {
    return HdfsTier.open(settings);
  }
}
