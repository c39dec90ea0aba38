package org.apache.spark.shuffle.sluice.driver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.CleanerListener;
import org.apache.spark.ContextCleaner;
import org.apache.spark.SparkContext;
import scala.Option;

/**
 * When shuffles are removed: once Spark's cleaner has found that nobody holds them any more.
 *
 * <p>Spark asks for a removal in two cases. Its cleaner does, and forgets the map outputs
 * afterwards. From Spark 4.0 on the end of a SQL execution may as well ({@code
 * spark.sql.classic.shuffleDependency.fileCleanup.enabled}), and keeps them, so that a plan that is
 * used again finds files missing and computes them once more. Servers that were told that a shuffle
 * has ended take none of its blocks; so the second kind is only noted, and what is there serves the
 * plan that is used again. Thread-safe.
 */
public final class ShuffleRemovals implements CleanerListener {
  private final SparkContext context;
  private final AtomicBoolean attached = new AtomicBoolean();
  private final Map<Integer, Request> requests = new ConcurrentHashMap<>();

  /** Spark's way to have all processes unregister a shuffle. */
  public interface Removal {
    void remove(int shuffleId, boolean blocking);
  }

  public ShuffleRemovals(SparkContext context) {
    this.context = context;
  }

  /** Spark asks for a removal, which comes if and when its cleaner lets go of the shuffle. */
  public void asked(int shuffleId, boolean blocking, Removal removal) {
    Option<ContextCleaner> cleaner = context.cleaner();
    if (cleaner.isEmpty()) {
      return; // Switched off: then shuffles stay until the application ends.
    }
    requests.put(shuffleId, new Request(blocking, removal));
    // The cleaner tells its listeners after it has asked, so this is in time for the first one too.
    if (attached.compareAndSet(false, true)) {
      cleaner.get().attachListener(this);
    }
  }

  @Override
  public void shuffleCleaned(int shuffleId) {
    Request request = requests.remove(shuffleId);
    if (request != null) {
      request.removal.remove(shuffleId, request.blocking);
    }
  }

  @Override
  public void rddCleaned(int rddId) {}

  @Override
  public void broadcastCleaned(long broadcastId) {}

  @Override
  public void accumCleaned(long accumulatorId) {}

  @Override
  public void checkpointCleaned(long rddId) {}

  private static final class Request {
    final boolean blocking;
    final Removal removal;

    Request(boolean blocking, Removal removal) {
      this.blocking = blocking;
      this.removal = removal;
    }
  }
}
