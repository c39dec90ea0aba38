package io.sluice.mapreduce.block;

import io.sluice.common.block.BlockHeader;
import java.io.IOException;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.WritableUtils;

/**
 * Gathers sorted records into blocks: length of key and of value as variable-length ints, key,
 * value, as in Hadoop's own intermediate files. A block begins with a mark; see {@link
 * BlockFormat}. A record longer than a block becomes a chain of blocks with the CONTINUES flag.
 */
public final class BlockPacker {
  private final BlockCompressor sink;
  private final byte[] raw;
  private final DataOutputBuffer lengths = new DataOutputBuffer();
  private int partition;
  private int filled;
  private int records;
  private boolean open;
  private boolean runContinues;

  /**
   * @param blockBytes raw bytes of a block
   */
  public BlockPacker(BlockCompressor sink, int blockBytes) {
    this.sink = sink;
    this.raw = new byte[blockBytes];
  }

  /** Records that follow are of a partition, and sorted among themselves. */
  public void beginRun(int ofPartition) {
    partition = ofPartition;
    runContinues = false;
    beginBlock();
  }

  private void beginBlock() {
    raw[0] = runContinues ? BlockFormat.RUN_CONTINUES : BlockFormat.RUN_BEGINS;
    filled = BlockFormat.MARK_BYTES;
    records = 0;
    open = false;
  }

  public void append(
      byte[] key, int keyStart, int keyLength, byte[] value, int valueStart, int valueLength)
      throws IOException {
    lengths.reset();
    WritableUtils.writeVInt(lengths, keyLength);
    WritableUtils.writeVInt(lengths, valueLength);
    long size = (long) lengths.getLength() + keyLength + valueLength;
    if (size > raw.length - filled && open) {
      push(0);
    }
    records++;
    open = true;
    put(lengths.getData(), 0, lengths.getLength());
    put(key, keyStart, keyLength);
    put(value, valueStart, valueLength);
  }

  private void put(byte[] from, int start, int length) throws IOException {
    int done = 0;
    while (done < length) {
      if (filled == raw.length) {
        sink.push(partition, raw, filled, records, BlockHeader.CONTINUES);
        filled = 0; // The rest of a record has no mark.
        records = 0;
      }
      int piece = Math.min(length - done, raw.length - filled);
      System.arraycopy(from, start + done, raw, filled, piece);
      filled += piece;
      done += piece;
    }
  }

  private void push(int flags) throws IOException {
    sink.push(partition, raw, filled, records, flags);
    runContinues = true;
    beginBlock();
  }

  /**
   * Pushes what is left of the run.
   *
   * @param last whether the partition gets no other: then its last block says so, even an empty one
   */
  public void endRun(boolean last) throws IOException {
    if (open) {
      push(last ? BlockHeader.LAST : 0);
    } else if (last) {
      sink.push(partition, raw, 0, 0, BlockHeader.LAST);
    }
  }
}
