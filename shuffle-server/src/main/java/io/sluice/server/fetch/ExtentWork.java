package io.sluice.server.fetch;

import io.sluice.server.partition.ExtentRange;
import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.Extent;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ranges of one extent to be read and sent in order. Reads are issued ahead of sending; each has a
 * buffer of its own. On the connection's event loop.
 */
final class ExtentWork implements Work {
  private final int partition;
  private final StoredExtent source;
  private final ArrayDeque<ExtentRange> ranges;
  // Counts what is sent where that is not known beforehand.
  private final @Nullable BlockCounter counter;
  private final long knownBlocks;
  private final ArrayDeque<PendingRead> reads = new ArrayDeque<>(2);
  private int issued;
  // Where others read the same.
  private @Nullable Passage passage;
  private int place;
  private boolean last;

  private ExtentWork(
      int partition,
      StoredExtent source,
      List<ExtentRange> ranges,
      @Nullable BlockCounter counter,
      long knownBlocks) {
    this.partition = partition;
    this.source = source;
    this.ranges = new ArrayDeque<>(ranges);
    this.counter = counter;
    this.knownBlocks = knownBlocks;
  }

  /** The part of an extent that holds a range of maps. */
  static ExtentWork of(int partition, StoredExtent source, MapRange maps) {
    Extent extent = source.extent();
    if (maps.covers(extent.firstMap(), extent.lastMap())) {
      List<ExtentRange> all = List.of(new ExtentRange(0, extent.length()));
      return new ExtentWork(partition, source, all, null, extent.blocks());
    }
    int from = extent.startFor(maps.first());
    int to = maps.end() == Integer.MAX_VALUE ? extent.length() : extent.endFor(maps.end());
    List<ExtentRange> part =
        from < to ? List.of(new ExtentRange(from, to - from)) : List.<ExtentRange>of();
    return new ExtentWork(partition, source, part, new BlockCounter(), 0);
  }

  /** What was left of a run when it was flushed under a reader. */
  static ExtentWork ofRemainder(
      int partition, StoredExtent source, List<ExtentRange> ranges, long blocks) {
    return new ExtentWork(partition, source, ranges, null, blocks);
  }

  /**
   * It is read side by side with others.
   *
   * @param ofPlace among all extents of the passage
   * @param isLast no other extent of the passage comes after it
   */
  void travel(Passage withPassage, int ofPlace, boolean isLast) {
    passage = withPassage;
    place = ofPlace;
    last = isLast;
  }

  /** Whether the next read may be issued; if not, the stream is woken when it may. */
  boolean mayRead() {
    return passage == null || passage.mayRead();
  }

  @Override
  public int partition() {
    return partition;
  }

  StoredExtent source() {
    return source;
  }

  /** Bytes of the next read if it may be so large; 0 if all are issued. */
  int nextReadBytes(int max) {
    ExtentRange range = ranges.peek();
    if (range == null && last && passage != null) {
      passage.leave();
    }
    return range == null ? 0 : Math.min(max, range.length() - issued);
  }

  /** Takes note that the next bytes are being read. */
  PendingRead issue(ReadBuffer buffer, int bytes) {
    ExtentRange range = ranges.element();
    PendingRead read = new PendingRead(buffer, range.offset() + issued, bytes);
    issued += bytes;
    if (issued == range.length()) {
      ranges.remove();
      issued = 0;
    }
    reads.add(read);
    if (passage != null) {
      passage.read(place, source.extent().length(), bytes);
    }
    return read;
  }

  /**
   * Reads nothing ahead any more; what was being read is read again later. Nothing was sent yet.
   */
  void takeBackReads() {
    while (!reads.isEmpty()) {
      PendingRead read = reads.removeLast();
      read.end();
      if (passage != null) {
        passage.rewind(read.length());
      }
      if (issued > 0) {
        ExtentRange begun = ranges.remove();
        ranges.push(
            new ExtentRange(read.offset(), begun.offset() + begun.length() - read.offset()));
        issued = 0;
      } else {
        ranges.push(new ExtentRange(read.offset(), read.length()));
      }
    }
  }

  /** The read whose bytes are to be sent next, under way or done. */
  @Nullable PendingRead first() {
    return reads.peek();
  }

  void removeFirst() {
    reads.remove().end();
  }

  boolean finished() {
    return ranges.isEmpty() && reads.isEmpty();
  }

  void sent(PendingRead read, int offset, int length) {
    if (counter != null) {
      counter.add(read.buffer().target(), offset, length);
    }
  }

  /** Blocks in all that was sent, once finished. */
  long blocks() {
    return counter == null ? knownBlocks : counter.blocks();
  }

  @Override
  public void close() {
    reads.forEach(PendingRead::end);
    reads.clear();
    ranges.clear();
    if (passage != null) {
      passage.leave();
    }
  }
}
