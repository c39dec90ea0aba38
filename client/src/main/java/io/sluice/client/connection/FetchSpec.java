package io.sluice.client.connection;

import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ClientLink;
import io.sluice.transport.FetchRequest;

/** The blocks that one stream asks one server for. Immutable. */
public final class FetchSpec implements StreamSpec {
  private final ShuffleKey shuffle;
  private final long incarnation;
  private final int firstPartition;
  private final int endPartition;
  private final int firstMap;
  private final int endMap;

  /**
   * Partitions {@code [firstPartition, endPartition)} of maps {@code [firstMap, endMap)}.
   *
   * @param incarnation of the server, as the placement names it
   */
  public FetchSpec(
      ShuffleKey shuffle,
      long incarnation,
      int firstPartition,
      int endPartition,
      int firstMap,
      int endMap) {
    this.shuffle = shuffle;
    this.incarnation = incarnation;
    this.firstPartition = firstPartition;
    this.endPartition = endPartition;
    this.firstMap = firstMap;
    this.endMap = endMap;
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
    link.fetch(
        new FetchRequest(stream, handle, firstPartition, endPartition, firstMap, endMap, credit));
  }
}
