package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ServerId;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.tier.RemoteTier;
import java.util.ArrayList;
import java.util.List;

/** A stand-in that takes up whatever it is given, unless a test says otherwise. */
final class Adoptions implements RemoteTier.Adopter {
  /** What it was given. */
  final List<SegmentStore> stores = new ArrayList<>();

  long room = Long.MAX_VALUE;
  boolean takes = true;

  @Override
  public long room() {
    return room;
  }

  @Override
  public boolean adopt(SegmentStore store) {
    stores.add(store);
    return takes;
  }

  /** What comes of taking over from a server, all of which can be opened. */
  static List<SegmentStore> of(RemoteTier tier, ServerId dead) {
    Adoptions taken = new Adoptions();
    assertThat(tier.adopt(dead, taken)).isEmpty();
    return taken.stores;
  }

  /** What a server has taken over before, all of which can be opened. */
  static List<SegmentStore> before(RemoteTier tier) {
    Adoptions taken = new Adoptions();
    assertThat(tier.openAdopted(taken)).isEmpty();
    return taken.stores;
  }
}
