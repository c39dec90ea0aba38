package io.sluice.benchmarks.storage.model;

import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.UnitCatalog;
import java.nio.ByteBuffer;
import java.util.Collection;

/** A catalog whose records cost what logging them on the modelled disk costs. Owns the real one. */
final class LoggedCatalog implements UnitCatalog {
  private final UnitCatalog catalog;
  private final WriteBack log;

  LoggedCatalog(UnitCatalog catalog, WriteBack log) {
    this.catalog = catalog;
    this.log = log;
  }

  @Override
  public void put(long segment, long offset, ByteBuffer header) {
    long before = catalog.bytesWritten();
    catalog.put(segment, offset, header);
    log.append(catalog.bytesWritten() - before);
  }

  @Override
  public void drop(long segment, long offset) {
    catalog.drop(segment, offset);
  }

  @Override
  public void beginRemoval(Collection<Removal> segments) {
    catalog.beginRemoval(segments);
  }

  @Override
  public void endRemoval(Collection<Removal> segments) {
    catalog.endRemoval(segments);
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
