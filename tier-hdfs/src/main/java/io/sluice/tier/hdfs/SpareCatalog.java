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
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
 * <p>It is read and written on a thread of its own, in order, and waited for: only that thread
 * hangs with the disk. What lacks its last units is of use for the next start. What does not know
 * that units are gone is not: so before it withholds that, it is disowned, or whoever wants units
 * gone hears that it does not work.
 */
final class SpareCatalog implements UnitCatalog {
  private static final Logger log = LoggerFactory.getLogger(SpareCatalog.class);

  private final UnitCatalog catalog;
  private final CatalogThread thread;
  private final Disowning disowning;
  private final Patience patience;
  private volatile boolean abandoned;
  private volatile boolean disowned;

  /**
   * How long the catalog's disk may take.
   *
   * @param recordNanos for a record: it is part of an access to HDFS, which may take 30 s longer
   *     than its longest call
   * @param startNanos at a start, to open it or for the next record, before a disk counts as one
   *     that does not answer; reading headers is all that this costs
   */
  record Patience(long recordNanos, long startNanos) {
    static final Patience USUAL =
        new Patience(TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(30));
  }

  /** Sees to it that no start believes the catalog. Blocks. */
  @FunctionalInterface
  interface Disowning {
    void disown() throws IOException;
  }

  /**
   * @param catalog belongs to this one from here
   * @param thread ends with this one
   */
  SpareCatalog(UnitCatalog catalog, CatalogThread thread, Disowning disowning, Patience patience) {
    this.catalog = catalog;
    this.thread = thread;
    this.disowning = disowning;
    this.patience = patience;
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
      return thread.call(task, patience.recordNanos());
    } catch (SluiceException e) {
      abandon(e);
      return false;
    }
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
   * At the start, by whoever opens the store. The visitor is called by the catalog's own thread,
   * and, if that comes too late, once more at most.
   *
   * @throws SluiceException CORRUPT_CATALOG if the disk does not give it either, or not in time:
   *     there is no need for it
   */
  @Override
  public void scan(Visitor visitor) {
    WaitedFor waitedFor = new WaitedFor(visitor);
    try {
      thread.call(
          () -> {
            catalog.scan(waitedFor);
            return true;
          },
          waitedFor::records,
          patience.startNanos());
    } catch (SluiceException e) {
      waitedFor.over = true;
      throw new SluiceException(ErrorCode.CORRUPT_CATALOG, "the catalog of HDFS cannot be read", e);
    }
  }

  /** Counts what is shown, and shows no more when nobody waits for it. */
  private static final class WaitedFor implements Visitor {
    private final Visitor visitor;
    private final AtomicLong records = new AtomicLong();
    private volatile boolean over;

    WaitedFor(Visitor visitor) {
      this.visitor = visitor;
    }

    long records() {
      return records.get();
    }

    private void next() {
      if (over) {
        throw new SluiceException(ErrorCode.CANCELLED, "nobody waits for the catalog any more");
      }
      records.incrementAndGet();
    }

    @Override
    public void removing(Removal removal) {
      next();
      visitor.removing(removal);
    }

    @Override
    public void unit(long segment, long offset, ByteBuffer header) {
      next();
      visitor.unit(segment, offset, header);
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
    thread.end(catalog::close, patience.recordNanos());
  }
}
