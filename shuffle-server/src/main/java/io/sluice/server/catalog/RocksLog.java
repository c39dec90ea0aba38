package io.sluice.server.catalog;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open RocksDB that can be opened again while others use it: each use holds it open, and who
 * opens it again waits until there is none. Owns all native handles. Thread-safe.
 *
 * <p>What the new one holds must be all that the old one took: a log whose end has vanished with
 * the page cache would leave a hole behind which new records go, and nobody would look for units in
 * it. So each write notes where the log ended, and a database that ends before is not used: until a
 * restart, which finds units behind the last record by their headers.
 */
final class RocksLog implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RocksLog.class);

  private final Path directory;
  private final RocksResources resources;
  // With the log: a record survives the process in the operating system's cache.
  private final WriteOptions unsynced = new WriteOptions().setSync(false);
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final Object writing = new Object();

  /** Guarded by the lock; null if it could not be opened again, or is closed. */
  private @Nullable RocksDB db;

  /** Guarded by {@link #writing}, or by the lock held alone. */
  private long lastTaken;

  private RocksLog(Path directory, RocksResources resources, RocksDB db) {
    this.directory = directory;
    this.resources = resources;
    this.db = db;
    this.lastTaken = db.getLatestSequenceNumber();
  }

  /**
   * Opens or creates it.
   *
   * @param memory bytes of block cache and memtables together, at most
   */
  static RocksLog open(Path directory, long memory) throws RocksDBException {
    RocksResources resources = new RocksResources(memory);
    try {
      RocksDB db = RocksDB.open(resources.options(), directory.toString());
      // Whoever opens it again wants this one, not a new one.
      resources.options().setCreateIfMissing(false);
      return new RocksLog(directory, resources, db);
    } catch (RocksDBException e) {
      resources.close();
      throw e;
    }
  }

  /**
   * Begins a use, to be closed by the same thread. On threads of the disk: it waits while another
   * one opens the database again.
   */
  Use use() throws RocksDBException {
    lock.readLock().lock();
    RocksDB open = db;
    if (open == null) {
      lock.readLock().unlock();
      throw failed("the database is closed");
    }
    return new Use(open);
  }

  private static RocksDBException failed(String why) {
    return new RocksDBException(why, new Status(Status.Code.IOError, Status.SubCode.None, why));
  }

  /**
   * Closes it and opens it anew. If that fails there is none, until another call succeeds.
   *
   * @throws RocksDBException if it cannot be opened, or has lost records that it had taken
   */
  void reopen() throws RocksDBException {
    lock.writeLock().lock();
    try {
      closeDatabase();
      // RocksDB would make the folder, and nobody could move the right one back.
      if (!Files.exists(directory.resolve("CURRENT"))) {
        throw failed("it is not there");
      }
      RocksDB opened = RocksDB.open(resources.options(), directory.toString());
      if (opened.getLatestSequenceNumber() < lastTaken) {
        opened.close();
        throw failed("it has lost records; a restart of the server finds their units again");
      }
      db = opened;
      log.info("{}: opened again", directory);
    } finally {
      lock.writeLock().unlock();
    }
  }

  private void closeDatabase() {
    RocksDB open = db;
    db = null;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      closeDatabase();
      unsynced.close();
      resources.close();
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** One use of the open database. */
  final class Use implements AutoCloseable {
    private final RocksDB open;

    private Use(RocksDB open) {
      this.open = open;
    }

    /** For reads, and until the end of this use. */
    RocksDB db() {
      return open;
    }

    void put(byte[] key, byte[] value) throws RocksDBException {
      synchronized (writing) {
        open.put(unsynced, key, value);
        lastTaken = open.getLatestSequenceNumber();
      }
    }

    void write(WriteBatch batch) throws RocksDBException {
      synchronized (writing) {
        open.write(unsynced, batch);
        lastTaken = open.getLatestSequenceNumber();
      }
    }

    @Override
    public void close() {
      lock.readLock().unlock();
    }
  }
}
