package io.sluice.server.quota;

import io.sluice.common.id.ApplicationId;
import io.sluice.server.memory.TableBudget;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The tables of all applications that hold something here. One has three quarters of them at most,
 * so one that makes partitions without end is refused for what it has itself while a quarter is
 * left to others. Thread-safe.
 */
public final class TableShares {
  private final TableBudget all;
  private final long limit;
  private final Map<ApplicationId, TableShare> shares = new ConcurrentHashMap<>();

  public TableShares(TableBudget all) {
    this.all = all;
    this.limit = all.capacity() - all.capacity() / 4;
  }

  /** The share of an application for one more shuffle, which ends with {@link #release}. */
  public TableShare acquire(ApplicationId application) {
    return shares.compute(
        application,
        (id, known) -> {
          TableShare share = known == null ? new TableShare(id, all, limit) : known;
          share.shuffleCame();
          return share;
        });
  }

  /** A shuffle is gone and has given back what it took. */
  public void release(ApplicationId application) {
    shares.computeIfPresent(application, (id, share) -> share.shuffleWent() ? null : share);
  }

  /** The share of an application that has a shuffle here, or null. */
  public @Nullable TableShare find(ApplicationId application) {
    return shares.get(application);
  }

  /** Bytes that one who has nothing yet may take now: what others leave of all but that quarter. */
  public long room() {
    return Math.max(0, limit - all.used());
  }

  /** How many applications have all that one may. */
  public long exhausted() {
    return shares.values().stream().filter(TableShare::exhausted).count();
  }
}
