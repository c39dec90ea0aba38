package io.sluice.server.catalog;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WriteBufferManager;

/**
 * RocksDB's options and the native memory behind them. Block cache and memtables share one strict
 * limit: the write buffer manager charges memtables to the cache.
 */
final class RocksResources implements AutoCloseable {
  /** Table files open at once; the catalog of a full disk is a handful of files. */
  private static final int OPEN_FILES_MAX = 16;

  private final LRUCache cache;
  private final WriteBufferManager writeBuffers;
  private final Options options;

  RocksResources(long memory) {
    RocksLibrary.load();
    // One shard: a small cache split in many would refuse blocks that fit the whole.
    cache = new LRUCache(memory, 0, true);
    writeBuffers = new WriteBufferManager(memory / 2, cache);
    options =
        new Options()
            .setCreateIfMissing(true)
            .setWriteBufferManager(writeBuffers)
            .setWriteBufferSize(memory / 8)
            .setMaxWriteBufferNumber(2)
            .setMaxTotalWalSize(memory)
            .setTableFormatConfig(
                new BlockBasedTableConfig().setBlockCache(cache).setCacheIndexAndFilterBlocks(true))
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setMaxOpenFiles(OPEN_FILES_MAX)
            .setMaxBackgroundJobs(2)
            .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
            .setKeepLogFileNum(2)
            .setStatsDumpPeriodSec(0);
  }

  Options options() {
    return options;
  }

  @Override
  public void close() {
    options.close();
    writeBuffers.close();
    cache.close();
  }
}
