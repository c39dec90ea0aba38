package io.sluice.server.catalog;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;

/**
 * The catalog in RocksDB; keys and values as docs/storage-format.md lays down.
 *
 * <p>After a write to its log has failed RocksDB takes none any more, whatever the disk does, until
 * it is opened anew; {@link #probe} does that.
 */
public final class RocksUnitCatalog implements UnitCatalog {
  /** Deletes per batch: bounds the memory of removing a segment of many small units. */
  private static final int BATCH_MAX = 4096;

  /**
   * Bytes in tables and recorded since it was tidied last: files of an empty catalog have 40 KiB,
   * and tidying takes some milliseconds.
   */
  private static final long TIDY_MIN = 256 << 10;

  private static final String TABLE_BYTES = "rocksdb.total-sst-files-size";

  private static final String REMEDY = "; `sluice catalog rebuild` makes it anew from the segments";

  private final Path directory;
  private final RocksLog log;
  private final LongAdder bytesWritten = new LongAdder();
  // Of whoever tidies.
  private long tidiedAt;
  private boolean untidy;

  private RocksUnitCatalog(Path directory, RocksLog log) {
    this.directory = directory;
    this.log = log;
  }

  /**
   * Opens or creates a catalog.
   *
   * @param memory bytes of block cache and memtables together, at most
   * @throws SluiceException CORRUPT_CATALOG if it is damaged or of another version
   */
  public static RocksUnitCatalog open(Path directory, long memory) {
    RocksUnitCatalog catalog;
    try {
      catalog = new RocksUnitCatalog(directory, RocksLog.open(directory, memory));
    } catch (RocksDBException e) {
      if (lacksManifest(directory)) {
        throw new SluiceException(
            ErrorCode.CORRUPT_CATALOG, "catalog " + directory + " lacks its manifest" + REMEDY, e);
      }
      throw failure(directory, "cannot be opened", e);
    }
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
    try (RocksLog.Use use = log.use()) {
      byte[] stored = use.db().get(CatalogKeys.versionKey());
      if (stored == null) {
        if (!isEmpty(use.db())) {
          throw new SluiceException(
              ErrorCode.CORRUPT_CATALOG,
              "catalog " + directory + " states no format version" + REMEDY);
        }
        use.put(CatalogKeys.versionKey(), CatalogKeys.version());
      } else if (stored.length == Integer.BYTES
          && ByteBuffer.wrap(stored).getInt() == CatalogKeys.VERSION_1) {
        // From here on it holds what an older server would not understand.
        use.put(CatalogKeys.versionKey(), CatalogKeys.version());
      } else if (stored.length != Integer.BYTES
          || ByteBuffer.wrap(stored).getInt() != CatalogKeys.VERSION) {
        throw new SluiceException(
            ErrorCode.CORRUPT_CATALOG,
            "catalog "
                + directory
                + " has format version "
                + (stored.length == Integer.BYTES ? ByteBuffer.wrap(stored).getInt() : "?")
                + "; this server reads up to "
                + CatalogKeys.VERSION);
      }
    } catch (RocksDBException e) {
      throw failure(directory, "cannot be read", e);
    }
  }

  private static boolean isEmpty(RocksDB db) {
    try (RocksIterator records = db.newIterator()) {
      records.seekToFirst();
      return !records.isValid();
    }
  }

  /** What {@link #stamp(UUID)} was last told, or null. */
  public @Nullable UUID stamp() {
    try (RocksLog.Use use = log.use()) {
      byte[] stored = use.db().get(CatalogKeys.stamp());
      if (stored == null || stored.length != 2 * Long.BYTES) {
        return null;
      }
      ByteBuffer bits = ByteBuffer.wrap(stored);
      return new UUID(bits.getLong(), bits.getLong());
    } catch (RocksDBException e) {
      throw failure(directory, "cannot be read", e);
    }
  }

  /** Stamps the catalog: what it records belongs to whatever bears the same stamp. */
  public void stamp(UUID stamp) {
    ByteBuffer bits =
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(stamp.getMostSignificantBits())
            .putLong(stamp.getLeastSignificantBits());
    try (RocksLog.Use use = log.use()) {
      use.put(CatalogKeys.stamp(), bits.array());
    } catch (RocksDBException e) {
      throw failure(directory, "did not take a stamp", e);
    }
  }

  /** Forgets all records, and the stamp, in one step. */
  public void clear() {
    try (RocksLog.Use use = log.use();
        WriteBatch batch = new WriteBatch()) {
      batch.deleteRange(CatalogKeys.first(), CatalogKeys.end());
      use.write(batch);
    } catch (RocksDBException e) {
      throw failure(directory, "was not cleared", e);
    }
  }

  @Override
  public void put(long segment, long offset, ByteBuffer header) {
    byte[] value = new byte[header.remaining()];
    header.duplicate().get(value);
    try (RocksLog.Use use = log.use()) {
      use.put(CatalogKeys.unit(segment, offset), value);
    } catch (RocksDBException e) {
      throw failure(directory, "did not take a unit", e);
    }
    bytesWritten.add(CatalogKeys.UNIT_KEY_LENGTH + value.length);
  }

  @Override
  public void drop(long segment, long offset) {
    try (RocksLog.Use use = log.use();
        WriteBatch batch = new WriteBatch()) {
      batch.delete(CatalogKeys.unit(segment, offset));
      use.write(batch);
    } catch (RocksDBException e) {
      throw failure(directory, "did not drop a unit", e);
    }
  }

  @Override
  public void beginRemoval(Collection<Removal> segments) {
    try (RocksLog.Use use = log.use();
        WriteBatch batch = new WriteBatch();
        RocksIterator records = use.db().newIterator()) {
      for (Removal removal : segments) {
        long segment = removal.segment();
        batch.put(CatalogKeys.removal(removal), new byte[0]);
        for (records.seek(CatalogKeys.unit(segment, 0));
            records.isValid() && CatalogKeys.isUnitOf(records.key(), segment);
            records.next()) {
          if (batch.count() >= BATCH_MAX) {
            // The removal record is in the first batch: what follows may be lost without harm.
            use.write(batch);
            batch.clear();
          }
          batch.delete(records.key());
        }
        records.status();
      }
      use.write(batch);
    } catch (RocksDBException e) {
      throw failure(directory, "did not take a removal", e);
    }
  }

  @Override
  public void endRemoval(Collection<Removal> segments) {
    try (RocksLog.Use use = log.use();
        WriteBatch batch = new WriteBatch()) {
      for (Removal removal : segments) {
        batch.delete(CatalogKeys.removal(removal));
      }
      use.write(batch);
    } catch (RocksDBException e) {
      throw failure(directory, "did not take the end of a removal", e);
    }
  }

  @Override
  public void scan(Visitor visitor) {
    try (RocksLog.Use use = log.use();
        RocksIterator records = use.db().newIterator()) {
      for (records.seekToFirst(); records.isValid(); records.next()) {
        show(records, visitor);
      }
      records.status();
    } catch (RocksDBException e) {
      throw failure(directory, "cannot be read", e);
    }
  }

  @Override
  public void scan(long segment, Visitor visitor) {
    try (RocksLog.Use use = log.use();
        RocksIterator records = use.db().newIterator()) {
      for (records.seek(CatalogKeys.unit(segment, 0));
          records.isValid() && CatalogKeys.isUnitOf(records.key(), segment);
          records.next()) {
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
      visitor.removing(CatalogKeys.removal(key));
    } else if (!CatalogKeys.isVersion(key) && !CatalogKeys.isStamp(key)) {
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
    try (RocksLog.Use use = log.use()) {
      use.db().flushWal(true);
    } catch (RocksDBException e) {
      throw failure(directory, "was not synced", e);
    }
  }

  /** Reads all records that are left: one that met damage there is not asked again. */
  @Override
  public void tidy() {
    if (untidy) {
      return;
    }
    try (RocksLog.Use use = log.use();
        FlushOptions waiting = new FlushOptions().setWaitForFlush(true)) {
      long recorded = bytesWritten();
      if (recorded - tidiedAt + use.db().getLongProperty(TABLE_BYTES) >= TIDY_MIN) {
        use.db().flush(waiting);
        use.db().compactRange();
        tidiedAt = recorded;
      }
    } catch (RocksDBException e) {
      SluiceException failure = failure(directory, "was not tidied", e);
      untidy = failure.code() == ErrorCode.CORRUPT_CATALOG;
      throw failure;
    }
  }

  /** Writes the version again, which changes nothing: a key of its own would have to be gone. */
  @Override
  public void probe() {
    if (takesRecords()) {
      return;
    }
    try {
      log.reopen();
    } catch (RocksDBException e) {
      throw failure(directory, "cannot be opened again", e);
    }
    checkVersion();
  }

  private boolean takesRecords() {
    try (RocksLog.Use use = log.use()) {
      use.put(CatalogKeys.versionKey(), CatalogKeys.version());
      return true;
    } catch (RocksDBException e) {
      return false;
    }
  }

  @Override
  public void close() {
    try {
      sync();
    } finally {
      log.close();
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
