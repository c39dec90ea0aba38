package io.sluice.server.partition;

import io.sluice.common.block.BlockHeader;
import io.sluice.server.segment.UnitBuilder;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A claimed run in the order it goes to disk: by map, attempt and sequence. Used by the flush that
 * claimed it.
 *
 * <p>Blocks are sorted by (mapIndex, append order) as plain longs. Since an attempt pushes its
 * blocks in sequence, a map's blocks are nearly always in order then; only where attempts
 * interleave are the headers' attempt and sequence compared.
 */
public final class SortedRun {
  private final MemoryRun run;
  private final int[] order;
  // Of a shared block its position, of one that came in parts the first of its chunks.
  private final int[] where;

  private SortedRun(MemoryRun run, int[] order, int[] where) {
    this.run = run;
    this.order = order;
    this.where = where;
  }

  public static SortedRun of(MemoryRun run) {
    int count = run.blocks();
    int[] where = new int[count];
    long[] keys = new long[count];
    int position = 0;
    int ownChunk = 0;
    for (int i = 0; i < count; i++) {
      keys[i] = (long) run.mapIndex(i) << 32 | i;
      if (run.ownChunks(i)) {
        where[i] = ownChunk;
        ownChunk = run.afterOwn(ownChunk, run.length(i));
      } else {
        where[i] = position;
        position += run.length(i);
      }
    }
    Arrays.sort(keys);
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      order[i] = (int) keys[i];
    }
    SortedRun sorted = new SortedRun(run, order, where);
    sorted.orderWithinMaps();
    return sorted;
  }

  public MemoryRun run() {
    return run;
  }

  /** For each place, the number of the block that goes there. */
  int[] order() {
    return order;
  }

  /** Appends all blocks to a unit's open extent. */
  public void copyTo(UnitBuilder unit, ByteBuffer target) {
    int at = 0;
    while (at < order.length) {
      int block = order[at];
      if (run.ownChunks(block)) {
        run.copyOwn(where[block], run.length(block), target);
        unit.endBlock();
        at++;
      } else {
        at = copyNeighbours(at, unit, target);
      }
    }
  }

  /**
   * Copies a block that came whole, and at once with it those after it that lie behind it.
   *
   * @return the place after theirs
   */
  private int copyNeighbours(int from, UnitBuilder unit, ByteBuffer target) {
    int position = where[order[from]];
    int length = 0;
    int at = from;
    do {
      length += run.length(order[at++]);
    } while (at < order.length && lies(order[at], position + length));
    int end = target.position();
    run.copyTo(position, length, target);
    for (int i = from; i < at; i++) {
      end += run.length(order[i]);
      target.position(end);
      unit.endBlock();
    }
    return at;
  }

  private boolean lies(int block, int position) {
    return where[block] == position && !run.ownChunks(block);
  }

  private void orderWithinMaps() {
    int from = 0;
    while (from < order.length) {
      int map = run.mapIndex(order[from]);
      int to = from + 1;
      while (to < order.length && run.mapIndex(order[to]) == map) {
        to++;
      }
      if (to - from > 1) {
        orderMap(from, to);
      }
      from = to;
    }
  }

  private void orderMap(int from, int to) {
    Place[] places = new Place[to - from];
    boolean inOrder = true;
    ByteBuffer header = ByteBuffer.allocate(BlockHeader.LENGTH);
    for (int i = from; i < to; i++) {
      places[i - from] = place(order[i], header);
      inOrder &= i == from || places[i - from - 1].compareTo(places[i - from]) <= 0;
    }
    if (inOrder) {
      return;
    }
    Arrays.sort(places);
    for (int i = from; i < to; i++) {
      order[i] = places[i - from].block;
    }
  }

  private Place place(int block, ByteBuffer header) {
    header.clear();
    if (run.ownChunks(block)) {
      run.copyOwn(where[block], BlockHeader.LENGTH, header);
    } else {
      run.copyTo(where[block], BlockHeader.LENGTH, header);
    }
    return new Place(BlockHeader.attemptId(header, 0), BlockHeader.sequence(header, 0), block);
  }

  private record Place(long attempt, int sequence, int block) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byAttempt = Long.compare(attempt, other.attempt);
      return byAttempt != 0 ? byAttempt : Integer.compare(sequence, other.sequence);
    }
  }
}
