package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.BlockReader;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.Gap;
import io.sluice.client.MapOutput;
import io.sluice.client.MissingBlocksException;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.ReaderMemory;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Shuffle servers, clients and network in one process's heap, with the same promises: only winning
 * attempts, each block once, complete or an error.
 */
public final class HeapShuffleStore implements ShuffleStore {
  /** What a reader asks for, as those of servers do. */
  public static final long CREDIT_BYTES = 16 << 20;

  private final Map<ShuffleKey, List<HeapBlock>> shuffles = new ConcurrentHashMap<>();
  private final Set<ShuffleKey> removed = ConcurrentHashMap.newKeySet();
  private final Set<HeapMapOutput> openOutputs = ConcurrentHashMap.newKeySet();
  private final Map<Integer, UnaryOperator<byte[]>> alwaysDamaged = new ConcurrentHashMap<>();
  private final AtomicInteger streams = new AtomicInteger();
  private final CountDownLatch polled = new CountDownLatch(1);
  private final Queue<WeakReference<BlockReader>> readers = new ConcurrentLinkedQueue<>();

  @Override
  public MapOutput openMapOutput(ShufflePlacement placement, int mapIndex, long attemptId) {
    if (removed.contains(placement.shuffle())) {
      throw new SluiceException(
          ErrorCode.UNKNOWN_SHUFFLE, "shuffle " + placement.shuffle() + " has ended");
    }
    HeapMapOutput output =
        new HeapMapOutput(
            placement.partitions(),
            mapIndex,
            attemptId,
            placement.epochs() - 1,
            blocks -> {
              List<HeapBlock> all =
                  shuffles.computeIfAbsent(placement.shuffle(), key -> new ArrayList<>());
              UnaryOperator<byte[]> damage = alwaysDamaged.get(mapIndex);
              synchronized (all) {
                for (HeapBlock block : blocks) {
                  all.add(damage == null ? block : block.changed(damage));
                }
              }
            },
            openOutputs::remove);
    openOutputs.add(output);
    return output;
  }

  @Override
  public BlockReader read(
      ShufflePlacement placement, ReadRange range, ExpectedMaps expected, ReaderMemory memory) {
    memory.credit(CREDIT_BYTES);
    List<HeapBlock> all = shuffles.getOrDefault(placement.shuffle(), List.of());
    List<HeapBlock> winning = new ArrayList<>();
    synchronized (all) {
      for (HeapBlock block : all) {
        int position = expected.positionOf(block.mapIndex());
        if (position >= 0
            && expected.attemptId(position) == block.attemptId()
            && expected.nonEmpty(position, block.partition())
            && block.partition() >= range.firstPartition()
            && block.partition() < range.endPartition()) {
          winning.add(block);
        }
      }
    }
    BlockReader reader =
        new HeapBlockReader(
            winning, missing(placement.shuffle(), range, expected, winning), polled::countDown);
    readers.add(new WeakReference<>(reader));
    return reader;
  }

  /** What is there of a partition, for who streams it: of each attempt in order. */
  List<HeapBlock> blocks(ShuffleKey shuffle, int partition) {
    List<HeapBlock> all = shuffles.getOrDefault(shuffle, List.of());
    synchronized (all) {
      return all.stream().filter(block -> block.partition() == partition).toList();
    }
  }

  void countStream() {
    streams.incrementAndGet();
  }

  /** How often anything was asked for as from a server. */
  public int streams() {
    return streams.get();
  }

  private static @Nullable MissingBlocksException missing(
      ShuffleKey shuffle, ReadRange range, ExpectedMaps expected, List<HeapBlock> found) {
    Set<Long> ended = new HashSet<>();
    for (HeapBlock block : found) {
      if (block.isLast()) {
        ended.add(key(block.mapIndex(), block.partition()));
      }
    }
    List<MissingMap> missing = new ArrayList<>();
    for (int position = 0; position < expected.size(); position++) {
      int mapIndex = expected.mapIndex(position);
      for (int partition = range.firstPartition(); partition < range.endPartition(); partition++) {
        if (expected.nonEmpty(position, partition) && !ended.contains(key(mapIndex, partition))) {
          missing.add(new MissingMap(mapIndex, expected.attemptId(position), partition));
          break;
        }
      }
    }
    return missing.isEmpty()
        ? null
        : new MissingBlocksException(
            ErrorCode.DATA_LOST,
            Gap.of(shuffle, missing),
            "shuffle " + shuffle + " lost " + missing);
  }

  private static long key(int mapIndex, int partition) {
    return (long) mapIndex << 32 | partition;
  }

  /** Loses what one map attempt pushed, as a dying server would. */
  public void lose(int shuffleId, int mapIndex) {
    shuffles.forEach(
        (key, blocks) -> {
          if (key.shuffleId() == shuffleId) {
            synchronized (blocks) {
              blocks.removeIf(block -> block.mapIndex() == mapIndex);
            }
          }
        });
  }

  /** Damages what is stored of one map so far, as memory does that CRCs do not see. */
  public void damage(int shuffleId, int mapIndex, UnaryOperator<byte[]> damage) {
    shuffles.forEach(
        (key, blocks) -> {
          if (key.shuffleId() == shuffleId) {
            synchronized (blocks) {
              blocks.replaceAll(
                  block -> block.mapIndex() == mapIndex ? block.changed(damage) : block);
            }
          }
        });
  }

  /** Damages what each attempt of a map stores from now on. */
  public void damageAlways(int mapIndex, UnaryOperator<byte[]> damage) {
    alwaysDamaged.put(mapIndex, damage);
  }

  /** Takes no more of it, as servers do. */
  public void remove(ShuffleKey shuffle) {
    removed.add(shuffle);
    shuffles.remove(shuffle);
  }

  /** Forgets everything. */
  public void clear() {
    shuffles.clear();
  }

  /** Whether a block's stored bytes have this text in them. */
  public boolean holds(String text) {
    for (List<HeapBlock> blocks : shuffles.values()) {
      synchronized (blocks) {
        for (HeapBlock block : blocks) {
          if (new String(block.stored(), StandardCharsets.ISO_8859_1).contains(text)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Outputs that nobody has closed yet. */
  public int openOutputs() {
    return openOutputs.size();
  }

  /** Waits until somebody has taken blocks without waiting for them, on whatever thread. */
  public boolean awaitPoll() throws InterruptedException {
    return polled.await(60, TimeUnit.SECONDS);
  }

  /** Readers ever made that the collector has not taken yet. */
  public int readersLeft() {
    readers.removeIf(reader -> reader.get() == null);
    return readers.size();
  }

  /** Shuffles that have blocks. */
  public int size() {
    return shuffles.size();
  }

  @Override
  public CompletionStage<StoredMaps> storedMaps(PlacedServer server, ShuffleKey shuffle) {
    return CompletableFuture.completedFuture(StoredMaps.NONE);
  }

  @Override
  public void close() {}
}
