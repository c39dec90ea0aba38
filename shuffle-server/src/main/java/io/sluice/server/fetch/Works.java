package io.sluice.server.fetch;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * What a stream has looked up and not sent yet, in the order in which it will be. On the
 * connection's event loop.
 */
final class Works implements Iterable<Work> {
  private final ArrayDeque<Work> works = new ArrayDeque<>();

  int size() {
    return works.size();
  }

  /** The one to go on with, or null. */
  @Nullable Work head() {
    return works.peek();
  }

  void add(Work work) {
    works.add(work);
  }

  /** Puts one before all others. */
  void putFirst(Work work) {
    works.push(work);
  }

  void removeHead() {
    works.remove();
  }

  /** Puts the head behind all others. */
  void putHeadLast() {
    works.add(works.remove());
  }

  @Override
  public Iterator<Work> iterator() {
    return works.iterator();
  }

  /** Whether anything has still to be read from a disk. */
  boolean hasUnread() {
    for (Work work : works) {
      if (work instanceof ExtentWork extent && extent.nextReadBytes(1) > 0) {
        return true;
      }
    }
    return false;
  }

  /** Whether the next that comes from a disk has been read. */
  boolean nextExtentIsThere() {
    for (Work work : works) {
      if (work instanceof ExtentWork extent) {
        PendingRead read = extent.first();
        return read != null && read.done();
      }
    }
    return false;
  }

  /** Gives up all reads; they will be issued again. */
  void takeBackReads() {
    for (Work work : works) {
      if (work instanceof ExtentWork extent) {
        extent.takeBackReads();
      }
    }
  }

  /** Gives up everything. */
  void close() {
    works.forEach(Work::close);
    works.clear();
  }
}
