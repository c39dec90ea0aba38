package org.apache.spark.shuffle.sluice.write;

import io.sluice.common.block.BlockHeader;
import java.io.InterruptedIOException;
import org.apache.spark.unsafe.Platform;
import org.jspecify.annotations.Nullable;

/**
 * Gathers sorted records into blocks. A partition's bytes are spread evenly over as few blocks as
 * they need; a record longer than a block becomes a chain of blocks with the CONTINUES flag. Used
 * by one thread.
 */
final class BlockPacker {
  private final PushPipeline pipeline;
  private final PageSorter sorter;
  private final int partitions;
  // Bytes of a record's prefix that are not part of its serialised form.
  private final int skip;

  /**
   * @param prefixIsData whether readers expect each record behind its big-endian length, as Spark
   *     SQL's rows are
   */
  BlockPacker(PushPipeline pipeline, int partitions, boolean prefixIsData) {
    this.pipeline = pipeline;
    this.sorter = new PageSorter(partitions);
    this.partitions = partitions;
    this.skip = prefixIsData ? 0 : RecordPages.PREFIX;
  }

  /**
   * Pushes everything in {@code pages}.
   *
   * @param last whether the map has no more records: then final blocks say so
   */
  void pack(RecordPages pages, boolean last) throws InterruptedIOException {
    long[] sorted = pages.sort(sorter);
    for (int partition = 0; partition < partitions; partition++) {
      int begin = sorter.begin(partition);
      int end = sorter.end(partition);
      if (begin < end) {
        packPartition(pages, sorted, partition, begin, end, last ? BlockHeader.LAST : 0);
      }
    }
    pipeline.flush();
  }

  private void packPartition(
      RecordPages pages, long[] sorted, int partition, int begin, int end, int lastFlag)
      throws InterruptedIOException {
    long left = pages.bytes(partition) - (long) skip * (end - begin);
    int target = blockTarget(left);
    int next = begin;
    while (next < end) {
      Object base = pages.base(sorted[next]);
      long offset = pages.offset(sorted[next]);
      long first = size(base, offset);
      if (first > pipeline.maxRawBytes()) {
        left -= first;
        next++;
        int length = RecordPages.length(base, offset);
        long from = offset + RecordPages.PREFIX;
        packLong(partition, base, from, length, next == end ? lastFlag : 0);
        continue;
      }
      int room = (int) Math.min(left, pipeline.maxRawBytes());
      long to = pipeline.open(partition, room);
      int filled = 0;
      int blockBegin = next;
      long size = first;
      do {
        Platform.copyMemory(base, offset + skip, null, to + filled, size);
        filled += (int) size;
        if (++next == end) {
          break;
        }
        base = pages.base(sorted[next]);
        offset = pages.offset(sorted[next]);
        size = size(base, offset);
      } while (filled < target && size <= room - filled);
      left -= filled;
      pipeline.close(filled, next - blockBegin, next == end ? lastFlag : 0);
    }
  }

  /** The same size for each of the fewest blocks, so that none is a crumb. */
  private int blockTarget(long bytes) {
    int max = pipeline.maxRawBytes();
    long blocks = (bytes + max - 1) / max;
    // At least one byte, so that records without any share a block.
    return (int) Math.max(1, Math.min(max, (bytes + blocks - 1) / Math.max(1, blocks)));
  }

  /** Serialised bytes of the record at a place. */
  private long size(@Nullable Object base, long offset) {
    return (long) RecordPages.length(base, offset) + RecordPages.PREFIX - skip;
  }

  /** Pushes one record as a chain of blocks; what was packed before goes before it. */
  void packAlone(int partition, @Nullable Object base, long offset, int length)
      throws InterruptedIOException {
    packLong(partition, base, offset, length, 0);
    pipeline.flush();
  }

  /**
   * @param offset where the record's bytes begin, behind its prefix if there is one in memory
   */
  private void packLong(int partition, @Nullable Object base, long offset, int length, int lastFlag)
      throws InterruptedIOException {
    int prefix = RecordPages.PREFIX - skip;
    long whole = (long) prefix + length;
    SerializedBytes.checkLength(whole, SerializedBytes.MAX);
    int piece = pipeline.maxRawBytes();
    for (long done = 0; done < whole; done += piece) {
      int bytes = (int) Math.min(piece, whole - done);
      long to = pipeline.open(partition, bytes);
      int at = 0;
      if (done == 0 && prefix > 0) {
        RecordPages.putLength(null, to, length);
        at = prefix;
      }
      Platform.copyMemory(base, offset + done + at - prefix, null, to + at, bytes - at);
      boolean ends = done + bytes == whole;
      pipeline.close(bytes, done == 0 ? 1 : 0, ends ? lastFlag : BlockHeader.CONTINUES);
    }
  }
}
