package org.apache.spark.shuffle.sluice.driver;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.ShuffleDependency;
import org.jspecify.annotations.Nullable;

/**
 * What Spark's plans know of the shuffles that are registered, as long as a plan is left that does.
 * Keeps none of it from the collector. Thread-safe.
 */
public final class ShuffleDependencies {
  private final ReferenceQueue<ShuffleDependency<?, ?, ?>> collected = new ReferenceQueue<>();
  private final Map<Integer, Held> held = new ConcurrentHashMap<>();

  public void add(int shuffleId, ShuffleDependency<?, ?, ?> dependency) {
    held.put(shuffleId, new Held(shuffleId, dependency, collected));
  }

  public void remove(int shuffleId) {
    held.remove(shuffleId);
  }

  /**
   * Whether the tasks of a shuffle's map stage run all at once, and speak with each other; not if
   * nobody can run it any more. To be asked when the stage exists: before, this might look for
   * parents that nobody has looked for yet, and so register shuffles.
   */
  public boolean isBarrier(int shuffleId) {
    Held reference = held.get(shuffleId);
    @Nullable ShuffleDependency<?, ?, ?> dependency = reference == null ? null : reference.get();
    return dependency != null && dependency.rdd().isBarrier();
  }

  /** Waits for a shuffle that no plan is left of, and that was not removed; names each once. */
  int awaitDropped() throws InterruptedException {
    while (true) {
      Held dropped = (Held) collected.remove();
      if (held.remove(dropped.shuffleId, dropped)) {
        return dropped.shuffleId;
      }
    }
  }

  private static final class Held extends WeakReference<ShuffleDependency<?, ?, ?>> {
    final int shuffleId;

    Held(
        int shuffleId,
        ShuffleDependency<?, ?, ?> dependency,
        ReferenceQueue<ShuffleDependency<?, ?, ?>> collected) {
      super(dependency, collected);
      this.shuffleId = shuffleId;
    }
  }
}
