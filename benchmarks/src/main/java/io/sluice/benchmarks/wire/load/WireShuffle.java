package io.sluice.benchmarks.wire.load;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;

/** What both sides call a turn's shuffle. */
public final class WireShuffle {
  /** Of each shuffle; connections divide them among each other. */
  public static final int PARTITIONS = 64;

  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);

  private WireShuffle() {}

  public static ShuffleKey number(int number) {
    return new ShuffleKey(APPLICATION, number, 0);
  }
}
