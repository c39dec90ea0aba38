package io.sluice.client.inventory;

import io.sluice.client.connection.StreamSpec;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ClientLink;

/** One page of an inventory: from a map on. Immutable. */
final class InventorySpec implements StreamSpec {
  private final ShuffleKey shuffle;
  private final long incarnation;
  private final int firstMap;

  InventorySpec(ShuffleKey shuffle, long incarnation, int firstMap) {
    this.shuffle = shuffle;
    this.incarnation = incarnation;
    this.firstMap = firstMap;
  }

  @Override
  public ShuffleKey shuffle() {
    return shuffle;
  }

  @Override
  public long incarnation() {
    return incarnation;
  }

  @Override
  public void request(ClientLink link, int stream, int handle, long credit) {
    link.inventory(stream, handle, firstMap);
  }
}
