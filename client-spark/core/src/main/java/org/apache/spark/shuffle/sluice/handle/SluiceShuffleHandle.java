package org.apache.spark.shuffle.sluice.handle;

import io.sluice.client.ShufflePlacement;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.shuffle.BaseShuffleHandle;

/**
 * What tasks know of a shuffle from the start: where its partitions lie, and what its blocks are
 * compressed with. Travels with every stage's task binary. Immutable.
 */
public final class SluiceShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
  private static final long serialVersionUID = 1;

  private final ShufflePlacement placement;
  private final String codec;

  /**
   * @param codec a name that {@code BlockCodecs} takes
   */
  public SluiceShuffleHandle(
      int shuffleId,
      ShuffleDependency<K, V, C> dependency,
      ShufflePlacement placement,
      String codec) {
    super(shuffleId, dependency);
    this.placement = placement;
    this.codec = codec;
  }

  public ShufflePlacement placement() {
    return placement;
  }

  public String codec() {
    return codec;
  }
}
