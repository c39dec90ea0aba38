package io.sluice.mapreduce.block;

import java.util.ArrayList;
import java.util.List;

/**
 * Sorted records in memory, in pieces as they came: each holds whole records behind one mark. Used
 * by one thread.
 */
public final class Run {
  /** What a run takes while it is merged, beside its pieces: reader, segment, and their buffers. */
  private static final int OVERHEAD = 1_500;

  /** What a piece takes beside its bytes: array, list entry, and its part of a run. */
  private static final int PIECE_OVERHEAD = 64;

  private final List<byte[]> pieces = new ArrayList<>();
  private long bytes;
  private long memory = OVERHEAD;

  void add(byte[] piece) {
    pieces.add(piece);
    bytes += piece.length - BlockFormat.MARK_BYTES;
    memory += piece.length + PIECE_OVERHEAD;
  }

  int size() {
    return pieces.size();
  }

  /** Starts at {@link BlockFormat#MARK_BYTES}. */
  byte[] piece(int number) {
    return pieces.get(number);
  }

  /** Bytes of records, with their lengths. */
  public long bytes() {
    return bytes;
  }

  /** Bytes of memory. */
  public long memory() {
    return memory;
  }
}
