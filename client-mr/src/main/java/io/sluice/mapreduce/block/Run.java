package io.sluice.mapreduce.block;

import java.util.ArrayList;
import java.util.List;

/**
 * Sorted records in memory, in pieces as they came: each holds whole records behind one mark. Used
 * by one thread.
 */
public final class Run {
  private final List<byte[]> pieces = new ArrayList<>();
  private long bytes;

  void add(byte[] piece) {
    pieces.add(piece);
    bytes += piece.length - BlockFormat.MARK_BYTES;
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
}
