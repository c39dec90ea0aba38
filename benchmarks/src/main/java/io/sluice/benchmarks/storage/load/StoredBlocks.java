package io.sluice.benchmarks.storage.load;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.UnitBuilder;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * Writes the blocks of a plan straight to a store, each as an extent of its own: what is left on
 * the disk of a server whose partitions had one block in memory whenever it flushed. So a store of
 * many extents needs few bytes. One thread's.
 */
public final class StoredBlocks {
  private final BlockPlan plan;
  private final BlockMaker maker;

  /**
   * @param plan of one shuffle, with one block of each map task for a partition
   */
  public StoredBlocks(BlockPlan plan) {
    if (plan.shuffles() != 1 || plan.blocksPerPartition() != 1) {
      throw new IllegalArgumentException("not one shuffle, or not one block: " + plan);
    }
    this.plan = plan;
    this.maker = new BlockMaker(plan);
  }

  /** Writes all of them, units of so many extents, and waits until they are written. */
  public void write(SegmentStore store, int extentsPerUnit) throws InterruptedException {
    for (int map = 0; map < plan.maps(); map++) {
      for (int first = 0; first < plan.partitions(); first += extentsPerUnit) {
        UnitBuilder unit = stage(store);
        int end = Math.min(first + extentsPerUnit, plan.partitions());
        for (int partition = first; partition < end; partition++) {
          add(unit, map, partition);
        }
        write(store, unit);
      }
    }
  }

  private UnitBuilder stage(SegmentStore store) throws InterruptedException {
    ShuffleKey shuffle = plan.shuffle(0);
    Semaphore available = new Semaphore(0);
    UnitBuilder unit = store.tryStage(shuffle, available::release);
    while (unit == null) {
      available.acquire();
      unit = store.tryStage(shuffle, available::release);
    }
    return unit;
  }

  private void add(UnitBuilder unit, int map, int partition) {
    ByteBuffer block = maker.make(map, partition, 0);
    ByteBuffer target = unit.beginExtent(partition);
    target.put(block);
    unit.endBlock();
    unit.endExtent();
  }

  private static void write(SegmentStore store, UnitBuilder unit) {
    CompletableFuture<Void> written = new CompletableFuture<>();
    store.write(
        unit,
        (extents, failure) -> {
          if (failure == null) {
            written.complete(null);
          } else {
            written.completeExceptionally(failure);
          }
        });
    written.join();
  }

  /** What a reader of a partition must find. */
  public Digest of(int partition) {
    Digest digest = new Digest();
    for (int map = 0; map < plan.maps(); map++) {
      digest.add(maker.make(map, partition, 0), 0);
    }
    return digest;
  }
}
