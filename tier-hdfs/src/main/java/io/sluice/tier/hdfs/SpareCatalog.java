package io.sluice.tier.hdfs;

import io.sluice.common.error.SluiceException;
import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.UnitCatalog;
import java.nio.ByteBuffer;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A catalog on a local disk whose loss costs time only: what it records, the units' headers on HDFS
 * say, too. It makes a start fast. Thread-safe.
 *
 * <p>The first record that it cannot take is the last it was asked to: units behind a segment's
 * catalogued end are found again by their headers, but units missing in between would not be. So a
 * local disk that fails does not take this tier with it.
 */
final class SpareCatalog implements UnitCatalog {
  private static final Logger log = LoggerFactory.getLogger(SpareCatalog.class);

  private final UnitCatalog catalog;
  private volatile boolean abandoned;

  /**
   * @param catalog belongs to this one from here
   */
  SpareCatalog(UnitCatalog catalog) {
    this.catalog = catalog;
  }

  private synchronized void record(Runnable change) {
    if (abandoned) {
      return;
    }
    try {
      change.run();
    } catch (SluiceException e) {
      abandoned = true;
      log.warn(
          "the catalog of HDFS takes no more records; the next start reads unit headers instead",
          e);
    }
  }

  @Override
  public void put(long segment, long offset, ByteBuffer header) {
    record(() -> catalog.put(segment, offset, header));
  }

  @Override
  public void drop(long segment, long offset) {
    record(() -> catalog.drop(segment, offset));
  }

  @Override
  public void beginRemoval(Collection<Removal> segments) {
    record(() -> catalog.beginRemoval(segments));
  }

  @Override
  public void endRemoval(Collection<Removal> segments) {
    record(() -> catalog.endRemoval(segments));
  }

  @Override
  public void scan(Visitor visitor) {
    catalog.scan(visitor);
  }

  @Override
  public void scan(long segment, Visitor visitor) {
    catalog.scan(segment, visitor);
  }

  @Override
  public long bytesWritten() {
    return catalog.bytesWritten();
  }

  @Override
  public void close() {
    catalog.close();
  }
}
