package io.sluice.server.cache;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A file whose bytes follow from their position, and some of whose ranges cannot be read. */
final class FakeSource implements ReadSource {
  final List<String> windows = new ArrayList<>();
  private final long number;
  private final long length;
  private long badFrom = Long.MAX_VALUE;
  private long badTo = Long.MAX_VALUE;
  private Runnable beforeSingleReads = () -> {};
  private long bytesRead;
  private int holds;

  FakeSource(long number, long length) {
    this.number = number;
    this.length = length;
  }

  static byte byteAt(long source, long position) {
    return (byte) (source * 31 + position * 7 + position / 251);
  }

  /** From now on reads that touch these bytes fail. */
  synchronized void spoil(long from, long to) {
    badFrom = from;
    badTo = to;
  }

  /** To be run by each read that is not of a window. */
  synchronized void beforeSingleReads(Runnable action) {
    beforeSingleReads = action;
  }

  synchronized long bytesRead() {
    return bytesRead;
  }

  synchronized int holds() {
    return holds;
  }

  @Override
  public long number() {
    return number;
  }

  @Override
  public synchronized void readWindow(long position, ByteBuffer target) {
    if (position % 4096 != 0 || target.remaining() % 4096 != 0 || holds == 0) {
      throw new AssertionError("unaligned or without a hold");
    }
    windows.add(position + "+" + target.remaining());
    fill(position, target);
  }

  @Override
  public synchronized void readExactly(long position, ByteBuffer target) {
    beforeSingleReads.run();
    fill(position, target);
  }

  private void fill(long position, ByteBuffer target) {
    if (position + target.remaining() > length) {
      throw new AssertionError("read beyond the end");
    }
    if (position < badTo && position + target.remaining() > badFrom) {
      throw new SluiceException(ErrorCode.DISK_FAILED, "bad bytes");
    }
    bytesRead += target.remaining();
    for (long at = position; target.hasRemaining(); at++) {
      target.put(byteAt(number, at));
    }
  }

  @Override
  public synchronized void retain() {
    holds++;
  }

  @Override
  public synchronized void release() {
    holds--;
    if (holds < 0) {
      throw new AssertionError("released too often");
    }
  }
}
