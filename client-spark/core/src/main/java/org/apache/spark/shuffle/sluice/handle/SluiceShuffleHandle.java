package org.apache.spark.shuffle.sluice.handle;

import io.sluice.client.FixedPlacement;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.function.IntFunction;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.jspecify.annotations.Nullable;

/**
 * What tasks know of a shuffle from the start: where its partitions lie, and what its blocks are
 * compressed with. Travels with every stage's task binary. Immutable.
 */
public final class SluiceShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
  private static final long serialVersionUID = 1;

  private final FixedPlacement placement;
  private final String codec;

  // Whether it had been removed when this was serialised.
  private final boolean removed;

  // On the driver only: where the newest placement is.
  private final transient @Nullable IntFunction<@Nullable FixedPlacement> newest;

  /**
   * @param codec a name that {@code BlockCodecs} takes
   * @param newest the newest placement by shuffle id, asked for as tasks are sent; null if the
   *     shuffle is gone
   */
  public SluiceShuffleHandle(
      int shuffleId,
      ShuffleDependency<K, V, C> dependency,
      FixedPlacement placement,
      String codec,
      IntFunction<@Nullable FixedPlacement> newest) {
    super(shuffleId, dependency);
    this.placement = placement;
    this.codec = codec;
    this.removed = false;
    this.newest = newest;
  }

  /**
   * The newest placement when the handle was serialised; on the driver the first one. Of a shuffle
   * that {@link #wasRemoved} the first one, which is good for nothing but to name it.
   */
  public FixedPlacement placement() {
    return placement;
  }

  /**
   * Whether the shuffle had been removed when the handle was serialised. Few of the tasks that know
   * such a shuffle need it, so it has no place before one does.
   */
  public boolean wasRemoved() {
    return removed;
  }

  /** With the newest placement: a stage's tasks, attempts of later stages included, begin there. */
  private void writeObject(ObjectOutputStream out) throws IOException {
    boolean onDriver = newest != null;
    FixedPlacement now = newest == null ? null : newest.apply(shuffleId());
    ObjectOutputStream.PutField fields = out.putFields();
    fields.put("placement", now == null ? placement : now);
    fields.put("codec", codec);
    fields.put("removed", onDriver ? now == null : removed);
    out.writeFields();
  }

  public String codec() {
    return codec;
  }
}
