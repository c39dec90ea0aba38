package io.sluice.server.fetch;

import io.sluice.server.partition.ExtentRange;
import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.ExtentPart;
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
  private final ExtentPart part;
  private final ArrayDeque<ExtentRange> ranges;
  // Counts what is sent where that is not known beforehand.
  private final @Nullable BlockCounter counter;
  private final long knownBlocks;
  private final ArrayDeque<PendingRead> reads = new ArrayDeque<>(2);
  private final @Nullable Leg leg;
  // Of all ranges together.
  private final int length;
  private int issued;
  // Whether what was sent may have ended within a block.
  private boolean begun;

  /**
   * A stretch of a way that others go as well.
   *
   * @param place of the extent among all of the passage
   * @param last whether no other extent of the passage comes after it
   */
  record Leg(Passage passage, int place, boolean last) {}

  private ExtentWork(
      int partition,
      StoredExtent source,
      ExtentPart part,
      List<ExtentRange> ranges,
      @Nullable BlockCounter counter,
      long knownBlocks,
      @Nullable Leg leg) {
    this.partition = partition;
    this.source = source;
    this.part = part;
    this.ranges = new ArrayDeque<>(ranges);
    this.counter = counter;
    this.knownBlocks = knownBlocks;
    this.leg = leg;
    this.length = ranges.stream().mapToInt(ExtentRange::length).sum();
    leaveIfAllIsIssued();
  }

  /**
   * The part of an extent that holds a range of maps.
   *
   * @param leg if it is read side by side with others; with the last one's last read, or with its
   *     end, the passage is left
   */
  static ExtentWork of(int partition, StoredExtent source, MapRange maps, @Nullable Leg leg) {
    Extent extent = source.extent();
    if (maps.covers(extent.firstMap(), extent.lastMap())) {
      List<ExtentRange> all = List.of(new ExtentRange(0, extent.length()));
      return new ExtentWork(
          partition, source, ExtentPart.all(extent), all, null, extent.blocks(), leg);
    }
    ExtentPart part = part(extent, maps);
    ExtentRange range = new ExtentRange(part.start(), part.length());
    List<ExtentRange> ranges = part.length() > 0 ? List.of(range) : List.of();
    return new ExtentWork(partition, source, part, ranges, new BlockCounter(), 0, leg);
  }

  /** The bytes of an extent that a reader of a range of maps has to read. */
  static ExtentPart part(Extent extent, MapRange maps) {
    int from = extent.startFor(maps.first());
    int to = maps.end() == Integer.MAX_VALUE ? extent.length() : extent.endFor(maps.end());
    return new ExtentPart(extent, from, Math.max(from, to));
  }

  /**
   * What was left of a run when it was flushed under a reader.
   *
   * @param begun whether that begins within a block
   */
  static ExtentWork ofRemainder(
      int partition, StoredExtent source, List<ExtentRange> ranges, long blocks, boolean begun) {
    ExtentPart all = ExtentPart.all(source.extent());
    ExtentWork work = new ExtentWork(partition, source, all, ranges, null, blocks, null);
    work.begun = begun;
    return work;
  }

  /** Whether the next read may be issued; if not, the stream is woken when it may. */
  boolean mayRead() {
    return leg == null || leg.passage.mayRead();
  }

  /** Whether the stream can do nothing before the disk has read what it asked for. */
  void awaitsDisk(boolean awaits) {
    if (leg != null) {
      leg.passage.awaitsDisk(awaits);
    }
  }

  /** Who has nothing more to read has no more use for company. */
  private void leaveIfAllIsIssued() {
    if (leg != null && leg.last && ranges.isEmpty()) {
      leg.passage.leave();
    }
  }

  @Override
  public int partition() {
    return partition;
  }

  StoredExtent source() {
    return source;
  }

  /** Where all that is read of the extent lies. */
  ExtentPart part() {
    return part;
  }

  /** Bytes of the next read if it may be so large; 0 if all are issued. */
  int nextReadBytes(int max) {
    ExtentRange range = ranges.peek();
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
    if (leg != null) {
      leg.passage.read(leg.place, length, bytes);
    }
    leaveIfAllIsIssued();
    return read;
  }

  /**
   * Reads nothing ahead any more; what was being read is read again later. Nothing was sent yet.
   */
  void takeBackReads() {
    while (!reads.isEmpty()) {
      PendingRead read = reads.removeLast();
      read.end();
      if (leg != null) {
        leg.passage.rewind(read.length());
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
    begun = true;
    if (counter != null) {
      for (ReadBuffer.Range range : read.buffer().ranges(offset, length)) {
        counter.add(range.memory(), range.start(), range.length());
      }
    }
  }

  /** Blocks in all that was sent, once finished. */
  long blocks() {
    return counter == null ? knownBlocks : counter.blocks();
  }

  /** Whether nothing else of the partition can be sent if this stops here. */
  boolean begun() {
    return begun;
  }

  /** Reads under way, or done and not wholly sent. */
  int reads() {
    return reads.size();
  }

  /** Bytes of these that were not sent. */
  int unsent() {
    return reads.stream().mapToInt(PendingRead::unsent).sum();
  }

  /** Ends before all is sent; its reader goes on with what comes after it. */
  void skip() {
    reads.forEach(PendingRead::end);
    reads.clear();
    int unread = ranges.stream().mapToInt(ExtentRange::length).sum() - issued;
    ranges.clear();
    issued = 0;
    if (leg != null && unread > 0) {
      // Others are not to wait for what it will never read.
      leg.passage.read(leg.place, length, unread);
    }
    leaveIfAllIsIssued();
  }

  @Override
  public void close() {
    reads.forEach(PendingRead::end);
    reads.clear();
    ranges.clear();
    if (leg != null) {
      leg.passage.leave();
    }
  }
}
