package org.apache.spark.shuffle.sluice.driver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.CleanerListener;
import org.apache.spark.ContextCleaner;
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
  private final boolean cleans;
  private final Map<Integer, Request> requests = new ConcurrentHashMap<>();

  /** Spark's way to have all processes unregister a shuffle. */
  public interface Removal {
    void remove(int shuffleId, boolean blocking);
  }

  private ShuffleRemovals(boolean cleans) {
    this.cleans = cleans;
  }

  /**
   * Hears Spark's cleaner from now on. It tells its listeners after it has asked, so the first
   * shuffle is early enough for that. The first request is not: another thread may make the next
   * one, and the cleaner be done with it, before anybody listens.
   *
   * @param cleaner none if it is switched off: then shuffles stay until the application ends
   */
  public static ShuffleRemovals hearing(Option<ContextCleaner> cleaner) {
    ShuffleRemovals removals = new ShuffleRemovals(cleaner.isDefined());
    if (cleaner.isDefined()) {
      cleaner.get().attachListener(removals);
    }
    return removals;
  }

  /**
   * Spark asks for a removal, which comes if and when its cleaner lets go of the shuffle. Kept
   * until then, or until the shuffle is {@linkplain #forget forgotten}: of one that never had a
   * stage the cleaner says nothing.
   */
  public void asked(int shuffleId, boolean blocking, Removal removal) {
    if (cleans) {
      requests.put(shuffleId, new Request(blocking, removal));
    }
  }

  /** A shuffle is removed, whoever wanted it: no removal comes any more. */
  void forget(int shuffleId) {
    requests.remove(shuffleId);
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
