package io.sluice.server.quota;

import io.sluice.common.id.ApplicationId;
import io.sluice.server.memory.TableBudget;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one application's shuffles, partitions and extents take of the {@link TableBudget}, which
 * pays for them, and the most they may. Thread-safe. Whoever adds to a table asks first whether it
 * is {@link #exhausted}; a flush does not, since its blocks were accepted before.
 */
public final class TableShare {
  private static final Logger log = LoggerFactory.getLogger(TableShare.class);

  private final ApplicationId application;
  private final TableBudget all;
  private final long limit;
  private final AtomicLong used = new AtomicLong();
  private final AtomicBoolean told = new AtomicBoolean();
  // Changed while the shares hold their entry for the application.
  private int shuffles;

  TableShare(ApplicationId application, TableBudget all, long limit) {
    this.application = application;
    this.all = all;
    this.limit = limit;
  }

  void shuffleCame() {
    shuffles++;
  }

  /** Returns whether it was the last. */
  boolean shuffleWent() {
    shuffles--;
    return shuffles == 0;
  }

  /** Whether the application may have nothing more, whatever others have. */
  public boolean exhausted() {
    return used.get() >= limit;
  }

  /** Why blocks of a shuffle are refused; said in the log for the first of the application. */
  public QuotaRefusal refusal(int shuffle) {
    QuotaRefusal refusal =
        new QuotaRefusal(
            QuotaRefusal.TABLES,
            "application " + application + ", by how many partitions and extents it has,",
            used.get(),
            limit);
    if (told.compareAndSet(false, true)) {
      log.warn("{}; refused first was shuffle {}", refusal, shuffle);
    }
    return refusal;
  }

  public void take(long bytes) {
    used.addAndGet(bytes);
    all.take(bytes);
  }

  public void giveBack(long bytes) {
    used.addAndGet(-bytes);
    all.giveBack(bytes);
  }

  /** An extent came, which takes so many bytes. */
  public void takeExtent(long bytes) {
    used.addAndGet(bytes);
    all.takeExtent(bytes);
  }

  /** An extent went. */
  public void giveBackExtent(long bytes) {
    used.addAndGet(-bytes);
    all.giveBackExtent(bytes);
  }
}
