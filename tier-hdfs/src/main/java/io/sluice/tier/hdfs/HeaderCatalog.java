package io.sluice.tier.hdfs;

import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.UnitCatalog;
import java.nio.ByteBuffer;
import java.util.Collection;

/**
 * A catalog that keeps nothing: every unit repeats its record in its header, so opening a store
 * with this one reads the headers of all units. For folders that somebody else wrote, and for
 * servers without a disk. Thread-safe.
 *
 * <p>A removal is not remembered either: segments that were hidden but not deleted when the process
 * died come back at the next start, until they expire once more.
 */
class HeaderCatalog implements UnitCatalog {
  @Override
  public void put(long segment, long offset, ByteBuffer header) {}

  @Override
  public void drop(long segment, long offset) {}

  @Override
  public void beginRemoval(Collection<Removal> segments) {}

  @Override
  public void endRemoval(Collection<Removal> segments) {}

  @Override
  public void scan(Visitor visitor) {}

  @Override
  public void scan(long segment, Visitor visitor) {}

  @Override
  public long bytesWritten() {
    return 0;
  }

  @Override
  public void close() {}
}
