package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler;
import io.sluice.server.cache.ReadTarget;
import io.sluice.server.disk.DiskHealth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store that could not be opened when the server started: fenced, empty, and tried again until it
 * opens. From then on it is that store, which has a fence of its own. Thread-safe.
 *
 * <p>A try takes a thread of the executor for as long as the disk or file system takes to answer,
 * and never more than one. The next one follows {@value #FIRST_DELAY_SECONDS} s after it has
 * failed, then twice as much, up to {@value #DELAY_MAX_SECONDS} s: enough for somebody who has just
 * mounted a disk, and little for a directory that never comes back.
 */
public final class AwaitedStore implements SegmentStore {
  private static final Logger log = LoggerFactory.getLogger(AwaitedStore.class);
  private static final int FIRST_DELAY_SECONDS = 1;
  private static final int DELAY_MAX_SECONDS = 30;

  private final Site site;
  private final Opener opener;
  private final Scheduler scheduler;
  private final Executor blocking;
  // Of whoever asked to stage; the flusher, which asks nothing of a fenced store, or hardly ever.
  private final List<Runnable> waiting = new ArrayList<>();
  private volatile DiskHealth health;
  private final List<Runnable> onHealthChange = new CopyOnWriteArrayList<>();
  private volatile @Nullable Opened opened;
  // Whether what it holds is taken up: until then it counts as fenced.
  private volatile boolean inUse;
  private boolean closed;
  private long delaySeconds = FIRST_DELAY_SECONDS;

  /** What is known of a store before it is there. */
  public record Site(String name, Tier tier, int unitBytes, long readerSpread) {}

  /** Opens the store. */
  @FunctionalInterface
  public interface Opener {
    /**
     * Blocks.
     *
     * @throws SluiceException if that does not work yet
     */
    Opened open();
  }

  /**
   * What came of it.
   *
   * @param owner closes the store and whatever was opened with it
   */
  public record Opened(SegmentStore store, Runnable owner) {}

  /**
   * @param problem why it could not be opened
   * @param scheduler for the next try
   * @param blocking where it is tried; one task at a time
   */
  public AwaitedStore(
      Site site, SluiceException problem, Opener opener, Scheduler scheduler, Executor blocking) {
    this.site = site;
    this.opener = opener;
    this.scheduler = scheduler;
    this.blocking = blocking;
    this.health = unhealthy(problem, scheduler.clock().wallTimeMillis());
    log.error("{}: the server goes on without it, and tries it again", site.name(), problem);
  }

  private static DiskHealth unhealthy(SluiceException problem, long sinceMillis) {
    return new DiskHealth(problem.detail(), sinceMillis, false);
  }

  /**
   * Begins to try.
   *
   * @param taken called once, when it is open, on the thread that opened it, before the store
   *     counts as healthy: to take up what was {@link #recovered}. May block.
   */
  public void start(Runnable taken) {
    tryLater(taken);
  }

  private void tryLater(Runnable taken) {
    long delay;
    synchronized (this) {
      if (closed) {
        return;
      }
      delay = delaySeconds;
      delaySeconds = Math.min(DELAY_MAX_SECONDS, 2 * delaySeconds);
    }
    scheduler.schedule(
        TimeUnit.SECONDS.toNanos(delay),
        () -> {
          try {
            blocking.execute(() -> tryNow(taken));
          } catch (RejectedExecutionException e) {
            log.debug("{}: not tried any more, the server ends", site.name());
          }
        });
  }

  private void tryNow(Runnable taken) {
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    Opened found;
    try {
      found = opener.open();
    } catch (SluiceException e) {
      failed(e);
      tryLater(taken);
      return;
    } catch (RuntimeException e) {
      // A thread's edge: after a bug, too, it is tried again, or it is never used.
      log.error("{}: a try to open it failed unexpectedly", site.name(), e);
      tryLater(taken);
      return;
    }
    boolean late;
    synchronized (this) {
      late = closed;
      opened = late ? null : found;
    }
    if (late) {
      found.owner().run();
    } else {
      take(found.store(), taken);
    }
  }

  private void take(SegmentStore store, Runnable taken) {
    try {
      taken.run();
    } catch (RuntimeException e) {
      log.error("{}: what it holds could not be taken up", site.name(), e);
    }
    long millis = scheduler.clock().wallTimeMillis() - health.sinceMillis();
    log.info("{}: works after {} ms, and is used from now on", site.name(), millis);
    store.onHealthChange(this::tellHealthChange);
    List<Runnable> woken;
    inUse = true;
    synchronized (this) {
      woken = List.copyOf(waiting);
      waiting.clear();
    }
    tellHealthChange();
    woken.forEach(Runnable::run);
  }

  private void tellHealthChange() {
    onHealthChange.forEach(Runnable::run);
  }

  private void failed(SluiceException problem) {
    DiskHealth before = health;
    if (Objects.equals(before.problem(), problem.detail())) {
      log.debug("{}: still cannot be opened", site.name(), problem);
    } else {
      log.warn("{}: cannot be opened", site.name(), problem);
      health = unhealthy(problem, before.sinceMillis());
    }
  }

  private @Nullable SegmentStore store() {
    Opened there = opened;
    return there == null ? null : there.store();
  }

  @Override
  public String name() {
    return site.name();
  }

  @Override
  public Tier tier() {
    return site.tier();
  }

  @Override
  public Map<ShuffleKey, List<Extent>> recovered() {
    SegmentStore store = store();
    return store == null ? Map.of() : store.recovered();
  }

  @Override
  public @Nullable UnitBuilder tryStage(ShuffleKey shuffle, Runnable onAvailable) {
    SegmentStore store = store();
    if (store == null) {
      synchronized (this) {
        store = store();
        if (store == null) {
          waiting.add(onAvailable);
          return null;
        }
      }
    }
    return store.tryStage(shuffle, onAvailable);
  }

  @Override
  public void write(UnitBuilder unit, WriteCallback callback) {
    Objects.requireNonNull(store(), "nothing can be staged before").write(unit, callback);
  }

  @Override
  public void read(ExtentPart part, int offset, ReadTarget target, ReadCallback callback) {
    SegmentStore store = store();
    if (store == null) {
      // Nobody has an extent of it yet.
      callback.read(new SluiceException(ErrorCode.DATA_LOST, "disk " + name() + " is not there"));
    } else {
      store.read(part, offset, target, callback);
    }
  }

  @Override
  public void tally(ShuffleKey shuffle, int maxAttempts, TallyCallback callback) {
    SegmentStore store = store();
    if (store == null) {
      callback.tallied(
          null, new SluiceException(ErrorCode.DATA_LOST, "disk " + name() + " is not there"));
    } else {
      store.tally(shuffle, maxAttempts, callback);
    }
  }

  @Override
  public UnitRange unitOf(Extent extent) {
    SegmentStore store = store();
    return store == null ? UnitRange.ALL : store.unitOf(extent);
  }

  /** What is removed before the store is there is removed when it is taken up. */
  @Override
  public void remove(ShuffleKey shuffle) {
    SegmentStore store = store();
    if (store != null) {
      store.remove(shuffle);
    }
  }

  @Override
  public int lostUnits() {
    SegmentStore store = store();
    return store == null ? 0 : store.lostUnits();
  }

  @Override
  public CompletableFuture<Void> sync() {
    SegmentStore store = store();
    return store == null
        ? CompletableFuture.failedFuture(
            new SluiceException(ErrorCode.DISK_FAILED, "disk " + name() + " is not there"))
        : store.sync();
  }

  @Override
  public DiskUsage usage() {
    SegmentStore store = store();
    return store == null ? new DiskUsage(0, 0, 0, 0, 0, 0, 0, false) : store.usage();
  }

  @Override
  public DiskHealth health() {
    SegmentStore store = store();
    return store == null || !inUse ? health : store.health();
  }

  @Override
  public void onHealthChange(Runnable listener) {
    onHealthChange.add(listener);
  }

  @Override
  public int unitBytes() {
    return site.unitBytes();
  }

  @Override
  public long comfortableSpace() {
    SegmentStore store = store();
    return store == null ? SegmentStore.super.comfortableSpace() : store.comfortableSpace();
  }

  @Override
  public long readerSpread() {
    return site.readerSpread();
  }

  @Override
  public int firstAtHand(List<ExtentPart> parts) {
    SegmentStore store = store();
    return store == null ? -1 : store.firstAtHand(parts);
  }

  @Override
  public String fileSystem() {
    SegmentStore store = store();
    return store == null ? name() : store.fileSystem();
  }

  @Override
  public DiskActivity activity() {
    SegmentStore store = store();
    return store == null ? DiskActivity.NONE : store.activity();
  }

  @Override
  public void close() {
    Opened last;
    synchronized (this) {
      closed = true;
      last = opened;
    }
    if (last != null) {
      last.owner().run();
    }
  }
}
