package io.sluice.tier.hdfs;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.UnitCatalog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A catalog on a local disk whose loss costs time only: what it records, the units' headers on HDFS
 * say, too. It makes a start fast. Thread-safe.
 *
 * <p>The first record that it cannot take, or does not take in time, is the last it was asked to:
 * units behind a segment's catalogued end are found again by their headers, but units missing in
 * between would not be. So a local disk that fails or hangs does not take this tier with it.
 *
 * <p>Records are made on a thread of their own, in order, and waited for: only that thread hangs
 * with the disk. What lacks its last units is of use for the next start. What does not know that
 * units are gone is not: so before it withholds that, it is disowned, or whoever wants units gone
 * hears that it does not work.
 */
final class SpareCatalog implements UnitCatalog {
  private static final Logger log = LoggerFactory.getLogger(SpareCatalog.class);

  /**
   * How long a record may take: it is part of an access to HDFS, which may take 30 s longer than
   * its longest call.
   */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** More than can wait at once: a writer, one for chores, and who closes it. */
  private static final int QUEUED_MAX = 8;

  private final UnitCatalog catalog;
  private final Disowning disowning;
  private final long patienceNanos;
  private final ThreadPoolExecutor thread;
  private volatile boolean abandoned;
  private volatile boolean disowned;

  /** Sees to it that no start believes the catalog. Blocks. */
  @FunctionalInterface
  interface Disowning {
    void disown() throws IOException;
  }

  /**
   * @param catalog belongs to this one from here
   */
  SpareCatalog(UnitCatalog catalog, Disowning disowning) {
    this(catalog, disowning, PATIENCE_NANOS);
  }

  SpareCatalog(UnitCatalog catalog, Disowning disowning, long patienceNanos) {
    this.catalog = catalog;
    this.disowning = disowning;
    this.patienceNanos = patienceNanos;
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUED_MAX),
            task -> {
              Thread started = new Thread(task, "hdfs-catalog");
              started.setDaemon(true);
              return started;
            });
  }

  /** Whether it was done, and all that came before it. */
  private boolean record(Runnable change) {
    return !abandoned && await(() -> change(change));
  }

  private boolean change(Runnable change) {
    if (abandoned) {
      return false;
    }
    try {
      change.run();
      return true;
    } catch (RuntimeException | Error e) {
      // Here, before the next one is taken up.
      abandon(e);
      return false;
    }
  }

  private boolean await(Callable<Boolean> task) {
    try {
      Future<Boolean> done = thread.submit(task);
      return done.get(patienceNanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      abandon(e);
    } catch (RejectedExecutionException | ExecutionException | TimeoutException e) {
      abandon(e);
    }
    return false;
  }

  private synchronized void abandon(Throwable why) {
    if (!abandoned) {
      abandoned = true;
      log.warn(
          "the catalog of HDFS takes no more records; the next start reads unit headers instead",
          why);
    }
  }

  /** The same for what nobody may believe to be there any more. */
  private void recordOrDisown(Runnable change) {
    if (record(change) || disowned) {
      return;
    }
    try {
      disowning.disown();
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.DISK_FAILED, "the catalog of HDFS cannot be disowned, and is not right", e);
    }
    disowned = true;
  }

  @Override
  public void put(long segment, long offset, ByteBuffer header) {
    // Who gave it may use it again before a disk that hangs has read it.
    ByteBuffer copy = ByteBuffer.allocate(header.remaining()).put(header.duplicate()).flip();
    record(() -> catalog.put(segment, offset, copy));
  }

  @Override
  public void drop(long segment, long offset) {
    recordOrDisown(() -> catalog.drop(segment, offset));
  }

  /** The next unit there is on other machines, and is there when the power of this one fails. */
  @Override
  public void dropNow(long segment, long offset) {
    recordOrDisown(() -> catalog.dropNow(segment, offset));
  }

  @Override
  public void beginRemoval(Collection<Removal> segments) {
    recordOrDisown(() -> catalog.beginRemoval(segments));
  }

  /** A removal that stays is done once more, for a file that is not there. */
  @Override
  public void endRemoval(Collection<Removal> segments) {
    record(() -> catalog.endRemoval(segments));
  }

  /**
   * At the start, by whoever opens the store, and nobody waits for others.
   *
   * @throws SluiceException CORRUPT_CATALOG if the disk does not give it either: there is no need
   *     for it
   */
  @Override
  public void scan(Visitor visitor) {
    try {
      catalog.scan(visitor);
    } catch (SluiceException e) {
      throw new SluiceException(ErrorCode.CORRUPT_CATALOG, "the catalog of HDFS cannot be read", e);
    }
  }

  /** Nothing, once it is abandoned: what is not told makes attempts look less whole, never more. */
  @Override
  public void scan(long segment, Visitor visitor) {
    List<Found> found = new ArrayList<>();
    boolean all =
        record(
            () ->
                catalog.scan(
                    segment,
                    (number, offset, header) ->
                        found.add(
                            new Found(
                                offset,
                                ByteBuffer.allocate(header.remaining())
                                    .put(header.duplicate())
                                    .flip()))));
    if (all) {
      found.forEach(unit -> visitor.unit(segment, unit.offset(), unit.header()));
    }
  }

  private record Found(long offset, ByteBuffer header) {}

  @Override
  public long bytesWritten() {
    return catalog.bytesWritten();
  }

  @Override
  public void sync() {
    record(catalog::sync);
  }

  /** Behind all records; a disk that hangs is left to do that when it comes back, or never. */
  @Override
  public void close() {
    try {
      thread.submit(catalog::close).get(patienceNanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RejectedExecutionException | ExecutionException | TimeoutException e) {
      log.warn("the catalog of HDFS was not closed", e);
    }
    thread.shutdown();
  }
}
