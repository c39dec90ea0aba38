package io.sluice.server.fetch;

import static java.util.Objects.requireNonNull;

import io.sluice.common.error.Advice;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.segment.SegmentStore;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a stream had to leave out because a disk did not give it, and what is to be said of that in
 * the end. On the connection's event loop.
 *
 * <p>The first failure is the one that is told, unless asking again is no use after it and would be
 * after a later one.
 */
final class UnreadExtents {
  /** After so many in a row of one fenced disk its others are not tried: each may take seconds. */
  private static final int MAX_FAILURES = 3;

  /** Readers take no more blocks than that, and a few more, to be broken off. */
  private static final int MAX_BROKEN_OFF = 32;

  private final IdentityHashMap<SegmentStore, Integer> failuresInARow = new IdentityHashMap<>(1);
  private @Nullable ErrorCode code;
  private String what = "";
  private int extents;
  private int brokenOff;
  private int leftOut;

  /** The code that the failure of a read is told with. */
  static ErrorCode codeOf(Throwable failure) {
    return failure instanceof SluiceException coded ? coded.code() : ErrorCode.DISK_FAILED;
  }

  /** Whether a failure concerns what was read, so that a reader may go on with something else. */
  static boolean isOfTheDisk(ErrorCode failure) {
    return failure == ErrorCode.DISK_FAILED
        || failure == ErrorCode.DATA_LOST
        || failure == ErrorCode.CORRUPT_UNIT;
  }

  /** An extent could not be read. */
  void add(SegmentStore store, ErrorCode failure, String where) {
    failuresInARow.merge(store, 1, Integer::sum);
    extents++;
    if (code == null || (isFinal(code) && !isFinal(failure))) {
      code = failure;
      what = where;
    }
  }

  /** An extent was not even tried; see {@link #givesUp}. */
  void addUntried() {
    extents++;
  }

  /** A read succeeded. */
  void succeeded(SegmentStore store) {
    if (!failuresInARow.isEmpty()) {
      failuresInARow.remove(store);
    }
  }

  /** Whether there is no use in trying the other extents of a disk. */
  boolean givesUp(SegmentStore store) {
    return !failuresInARow.isEmpty()
        && failuresInARow.getOrDefault(store, 0) >= MAX_FAILURES
        && !store.health().healthy();
  }

  /**
   * A block was broken off, so nothing more of its partition can be sent.
   *
   * @param others whether there was more of it
   */
  void brokeOff(boolean others) {
    brokenOff++;
    if (others) {
      leftOut++;
    }
  }

  /** Whether the stream had better end. */
  boolean isTooMuch() {
    return brokenOff > MAX_BROKEN_OFF;
  }

  boolean isEmpty() {
    return extents == 0;
  }

  /** What to tell the reader, if there is anything. */
  ErrorCode code() {
    ErrorCode first = requireNonNull(code);
    // What was left out is there: whoever asks again gets it.
    return leftOut > 0 && isFinal(first) ? ErrorCode.DISK_FAILED : first;
  }

  /** The same for people. */
  String message() {
    StringBuilder message = new StringBuilder(what);
    if (extents > 1) {
      message.append("; and ").append(extents - 1).append(" more extents");
    }
    if (leftOut > 0) {
      message
          .append("; in ")
          .append(leftOut)
          .append(" partitions a block broke off and what comes after it was left out");
    }
    return message.toString();
  }

  private static boolean isFinal(ErrorCode failure) {
    return failure.advice() == Advice.RECOMPUTE;
  }
}
