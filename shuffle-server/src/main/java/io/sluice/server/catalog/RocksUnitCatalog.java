package io.sluice.server.catalog;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** The catalog in RocksDB; keys and values as docs/storage-format.md lays down. */
public final class RocksUnitCatalog implements UnitCatalog {
  /** Deletes per batch: bounds the memory of removing a segment of many small units. */
  private static final int BATCH_MAX = 4096;

  private static final String REMEDY = "; `sluice catalog rebuild` makes it anew from the segments";

  private final Path directory;
  private final RocksResources resources;
  private final RocksDB db;
  private final WriteOptions unsynced;
  private final LongAdder bytesWritten = new LongAdder();

  private RocksUnitCatalog(
      Path directory, RocksResources resources, RocksDB db, WriteOptions unsynced) {
    this.directory = directory;
    this.resources = resources;
    this.db = db;
    this.unsynced = unsynced;
  }

  /**
   * Opens or creates a catalog.
   *
   * @param memory bytes of block cache and memtables together, at most
   * @throws SluiceException CORRUPT_CATALOG if it is damaged or of another version
   */
  public static RocksUnitCatalog open(Path directory, long memory) {
    RocksResources resources = new RocksResources(memory);
    RocksDB db;
    try {
      db = RocksDB.open(resources.options(), directory.toString());
    } catch (RocksDBException e) {
      resources.close();
      if (lacksManifest(directory)) {
        throw new SluiceException(
            ErrorCode.CORRUPT_CATALOG, "catalog " + directory + " lacks its manifest" + REMEDY, e);
      }
      throw failure(directory, "cannot be opened", e);
    }
    // With the log: a record survives the process in the operating system's cache.
    RocksUnitCatalog catalog =
        new RocksUnitCatalog(directory, resources, db, new WriteOptions().setSync(false));
    try {
      catalog.checkVersion();
    } catch (SluiceException e) {
      catalog.close();
      throw e;
    }
    return catalog;
  }

  /** To RocksDB a missing file is the disk's fault; where the disk answers, it is the catalog's. */
  private static boolean lacksManifest(Path directory) {
    try {
      String manifest = Files.readString(directory.resolve("CURRENT")).strip();
      return Files.notExists(directory.resolve(manifest));
    } catch (IOException | InvalidPathException e) {
      return false; // whatever it is, RocksDB has said it
    }
  }

  private void checkVersion() {
    try {
      byte[] stored = db.get(CatalogKeys.versionKey());
      if (stored == null) {
        if (!isEmpty()) {
          throw new SluiceException(
              ErrorCode.CORRUPT_CATALOG,
              "catalog " + directory + " states no format version" + REMEDY);
        }
        db.put(unsynced, CatalogKeys.versionKey(), CatalogKeys.version());
      } else if (stored.length != Integer.BYTES
          || ByteBuffer.wrap(stored).getInt() != CatalogKeys.VERSION) {
        throw new SluiceException(
            ErrorCode.CORRUPT_CATALOG,
            "catalog "
                + directory
                + " has format version "
                + (stored.length == Integer.BYTES ? ByteBuffer.wrap(stored).getInt() : "?")
                + "; this server reads "
                + CatalogKeys.VERSION);
      }
    } catch (RocksDBException e) {
      throw failure(directory, "cannot be read", e);
    }
  }

  private boolean isEmpty() {
    try (RocksIterator records = db.newIterator()) {
      records.seekToFirst();
      return !records.isValid();
    }
  }

  @Override
  public void put(long segment, long offset, ByteBuffer header) {
    byte[] value = new byte[header.remaining()];
    header.duplicate().get(value);
    try {
      db.put(unsynced, CatalogKeys.unit(segment, offset), value);
    } catch (RocksDBException e) {
      throw failure(directory, "did not take a unit", e);
    }
    bytesWritten.add(CatalogKeys.UNIT_KEY_LENGTH + value.length);
  }

  @Override
  public void drop(long segment, long offset) {
    try {
      db.delete(unsynced, CatalogKeys.unit(segment, offset));
    } catch (RocksDBException e) {
      throw failure(directory, "did not drop a unit", e);
    }
  }

  @Override
  public void beginRemoval(Collection<Long> segments) {
    try (WriteBatch batch = new WriteBatch();
        RocksIterator records = db.newIterator()) {
      for (long segment : segments) {
        batch.put(CatalogKeys.removal(segment), new byte[0]);
        for (records.seek(CatalogKeys.unit(segment, 0));
            records.isValid() && CatalogKeys.isUnitOf(records.key(), segment);
            records.next()) {
          if (batch.count() >= BATCH_MAX) {
            // The removal record is in the first batch: what follows may be lost without harm.
            db.write(unsynced, batch);
            batch.clear();
          }
          batch.delete(records.key());
        }
        records.status();
      }
      db.write(unsynced, batch);
    } catch (RocksDBException e) {
      throw failure(directory, "did not take a removal", e);
    }
  }

  @Override
  public void endRemoval(Collection<Long> segments) {
    try (WriteBatch batch = new WriteBatch()) {
      for (long segment : segments) {
        batch.delete(CatalogKeys.removal(segment));
      }
      db.write(unsynced, batch);
    } catch (RocksDBException e) {
      throw failure(directory, "did not take the end of a removal", e);
    }
  }

  @Override
  public void scan(Visitor visitor) {
    try (RocksIterator records = db.newIterator()) {
      for (records.seekToFirst(); records.isValid(); records.next()) {
        show(records, visitor);
      }
      records.status();
    } catch (RocksDBException e) {
      throw failure(directory, "cannot be read", e);
    }
  }

  private void show(RocksIterator record, Visitor visitor) {
    byte[] key = record.key();
    if (CatalogKeys.isUnit(key)) {
      visitor.unit(
          CatalogKeys.segment(key), CatalogKeys.offset(key), ByteBuffer.wrap(record.value()));
    } else if (CatalogKeys.isRemoval(key)) {
      visitor.removing(CatalogKeys.segment(key));
    } else if (!CatalogKeys.isVersion(key)) {
      throw new SluiceException(
          ErrorCode.CORRUPT_CATALOG, "catalog " + directory + " holds a key of no known kind");
    }
  }

  @Override
  public long bytesWritten() {
    return bytesWritten.sum();
  }

  @Override
  public void sync() {
    try {
      db.flushWal(true);
    } catch (RocksDBException e) {
      throw failure(directory, "was not synced", e);
    }
  }

  @Override
  public void close() {
    try {
      sync();
    } finally {
      db.close();
      unsynced.close();
      resources.close();
    }
  }

  private static SluiceException failure(Path directory, String what, RocksDBException e) {
    ErrorCode code =
        e.getStatus() != null && e.getStatus().getCode() == Status.Code.Corruption
            ? ErrorCode.CORRUPT_CATALOG
            : ErrorCode.DISK_FAILED;
    String remedy = code == ErrorCode.CORRUPT_CATALOG ? REMEDY : "";
    return new SluiceException(code, "catalog " + directory + " " + what + remedy, e);
  }
}
