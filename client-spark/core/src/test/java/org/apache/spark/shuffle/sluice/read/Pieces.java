package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.BlockReader;
import io.sluice.common.security.BlockKeys;
import io.sluice.common.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.executor.TempShuffleReadMetrics;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.shuffle.sluice.codec.BlockCodecs;
import org.apache.spark.shuffle.sluice.codec.BlockDecoder;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.shuffle.sluice.spare.HandDriven;
import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.apache.spark.shuffle.sluice.store.HeapBlockReader;
import org.apache.spark.shuffle.sluice.store.ReadRange;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.JavaConverters;
import scala.collection.Seq;

/** The reduce side over given blocks, outside a running Spark. */
public final class Pieces {
  static final int SHUFFLE = 5;

  private static final long MEMORY = 64 << 20;

  private Pieces() {}

  public static RawBlocks of(HeapBlock... blocks) {
    return of(
        new HeapBlockReader(List.of(blocks), null), new TempShuffleReadMetrics(), missing -> true);
  }

  /** The same where the application encrypts. */
  static RawBlocks encrypted(BlockKeys keys, HeapBlock... blocks) {
    HeapBlockReader reader = new HeapBlockReader(List.of(blocks), null);
    return of(reader, new TempShuffleReadMetrics(), missing -> true, keys);
  }

  static RawBlocks of(
      BlockReader reader, TempShuffleReadMetrics metrics, MissingMaps.Listener driver) {
    return of(reader, metrics, driver, null);
  }

  private static RawBlocks of(
      BlockReader reader,
      TempShuffleReadMetrics metrics,
      MissingMaps.Listener driver,
      @Nullable BlockKeys keys) {
    CountedMemory memory = memory();
    ReadAhead ahead =
        new ReadAhead(
            pieces(reader, "lz4", keys, memory, Clock.system()), new HandDriven().cores(0));
    FetchFailures failures = new FetchFailures(SHUFFLE, winners(), driver, false);
    return new RawBlocks(TaskContext$.MODULE$.empty(), ahead, failures, metrics, memory);
  }

  /** Pieces that are decoded ahead where a core is spare. */
  static RawBlocks ahead(
      TaskContext context,
      BlockReader reader,
      SpareCores cores,
      Clock clock,
      MissingMaps.Listener driver) {
    return ahead(context, reader, "lz4", cores, clock, driver);
  }

  /** The same of a shuffle whose writers were told to use this codec. */
  static RawBlocks ahead(
      TaskContext context,
      BlockReader reader,
      String codec,
      SpareCores cores,
      Clock clock,
      MissingMaps.Listener driver) {
    CountedMemory memory = memory();
    ReadAhead ahead = new ReadAhead(pieces(reader, codec, null, memory, clock), cores);
    FetchFailures failures = new FetchFailures(SHUFFLE, winners(), driver, false);
    return new RawBlocks(context, ahead, failures, new TempShuffleReadMetrics(), memory);
  }

  private static PieceReader pieces(
      BlockReader reader,
      String codec,
      @Nullable BlockKeys keys,
      CountedMemory memory,
      Clock clock) {
    return new PieceReader(
        reader,
        new Payloads(keys == null ? null : keys.decryption()),
        new BlockDecoder(new BlockCodecs(new SparkConf(false)), codec),
        memory,
        clock);
  }

  private static CountedMemory memory() {
    UnifiedMemoryManager executor = new UnifiedMemoryManager(new SparkConf(false), MEMORY, 0, 1);
    TaskMemoryManager task = new TaskMemoryManager(executor, 0);
    UnusedMemory unused = new UnusedMemory(executor, () -> 1, task, 0);
    return new CountedMemory(task, unused, Thread.currentThread(), MEMORY);
  }

  /** Maps 0 to 3, attempts 100 to 103, each with records for partitions 0 and 1. */
  static Winners winners() {
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> statuses = new ArrayList<>();
    for (int map = 3; map >= 0; map--) {
      List<Tuple3<BlockId, Object, Object>> blocks = new ArrayList<>();
      for (int partition = 0; partition < 2; partition++) {
        blocks.add(new Tuple3<>(new ShuffleBlockId(SHUFFLE, 100 + map, partition), 9L, map));
      }
      statuses.add(
          new Tuple2<>(
              MapLocation.of(SHUFFLE, map, 100 + map, 0, 0), JavaConverters.asScalaBuffer(blocks)));
    }
    return Winners.of(
        JavaConverters.asScalaIterator(statuses.iterator()),
        new ReadRange(0, 2, 0, Integer.MAX_VALUE));
  }

  /** An uncompressed block. */
  public static HeapBlock block(int map, int flags, byte[] raw) {
    return new HeapBlock(0, map, 100 + map, 0, flags, raw.length, 1, raw);
  }
}
