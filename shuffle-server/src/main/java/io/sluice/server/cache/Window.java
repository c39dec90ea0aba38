package io.sluice.server.cache;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A range of a file that is wanted, being read, or in memory. Confined to the cache's lock, but for
 * the bytes, which are read by whoever uses the window.
 *
 * <pre>
 * WAITING ──memory and a thread──▶ LOADING ──read──▶ READY ──evicted──▶ (gone)
 *    └───────────disk stalled, store closed, read failed────────────▶ (gone)
 * </pre>
 */
final class Window {
  enum State {
    WAITING,
    LOADING,
    READY
  }

  final ReadSource source;
  final Stretch unit;
  final Neighbourhood neighbours;
  long start;
  long end;
  State state = State.WAITING;

  /** Whether it stands in the queue, or did. */
  boolean queued;

  /** Who copies from it or hands it over now, and leases; it stays until they are done. */
  int users;

  /** Whether it is in no table any more, so that its memory goes back with its last user. */
  boolean dropped;

  long usedBytes;

  /** Of what whoever asks has an extent of, up to where it will go on; in the file. */
  private long wantedEnd;

  /** Whether what follows was thought of. */
  boolean lookedAhead;

  /** Where its memory is; -1 without any. */
  int memoryOffset = -1;

  /** The memory, from when it is being filled. */
  @Nullable ByteBuffer bytes;

  private List<Part> waiting = new ArrayList<>(2);

  /** A part of a file, from start to end; both aligned. */
  record Stretch(long start, long end) {}

  /**
   * Why it is larger than what was wanted.
   *
   * @param prefetch who has an opinion of neighbours like these
   * @param readAtSize prefetch size in force
   * @param own bytes that are there for whoever has asked first, and say nothing of neighbours
   */
  record Neighbourhood(Prefetch prefetch, int readAtSize, int own) {}

  /**
   * @param unit the unit that it is of
   */
  Window(ReadSource source, Stretch unit, long start, long end, Neighbourhood neighbours) {
    this.source = source;
    this.unit = unit;
    this.start = start;
    this.end = end;
    this.neighbours = neighbours;
  }

  int length() {
    return (int) (end - start);
  }

  boolean covers(long position) {
    return position >= start && position < end;
  }

  /** Whether about all of it has been handed out, so that nobody may want it again. */
  boolean consumed() {
    // Header and padding are never asked for.
    return usedBytes >= length() - length() / 8;
  }

  /** Whether so much of it has been handed out that what follows will be wanted too. */
  boolean halfUsed() {
    return usedBytes >= length() / 2;
  }

  /** Takes note of what is wanted from here on. */
  void wanted(ReadRange range) {
    wantedEnd = Math.max(wantedEnd, range.wantedEnd());
  }

  /** Up to where somebody will go on. */
  long wantedEnd() {
    return wantedEnd;
  }

  /** It has left the cache: were its neighbours wanted? */
  void retired() {
    long used = Math.max(0, usedBytes - neighbours.own);
    neighbours.prefetch.retired(neighbours.readAtSize, used, length() - neighbours.own);
  }

  void await(Part part) {
    waiting.add(part);
  }

  /** Takes one, or null if nobody waits. */
  @Nullable Part pollWaiting() {
    return waiting.isEmpty() ? null : waiting.remove(0);
  }

  List<Part> takeWaiting() {
    List<Part> taken = waiting;
    waiting = new ArrayList<>(0);
    return taken;
  }

  ByteBuffer memory() {
    ByteBuffer memory = bytes;
    if (memory == null) {
      throw new IllegalStateException("a window without memory is read");
    }
    return memory;
  }

  /** What a request wants of one window, in file offsets. */
  record Part(ReadRequest request, long position, int length) {}
}
