package io.sluice.server.fetch;

import java.util.function.Consumer;

/**
 * One stream's way through the extents of a partition. Its numbers belong to its convoy's lock; the
 * stream calls it on its event loop.
 */
final class Passage {
  private final Convoy convoy;
  private final int first;
  private final Runnable wake;
  private final Consumer<Passage> onLeave;
  // The event loop's.
  private boolean left;
  private boolean awaitsDisk;

  /** Bytes, on a scale that all of the convoy share, up to which reads have been issued. */
  long position;

  /** The extent that was begun last: its place among all, where it begins, and its length. */
  int extent;

  long extentBegin;
  long extentLength;

  /** Nobody waits for it: it held the others up for too long. */
  boolean excused;

  /** Nanoseconds that it held others up for, less what was forgiven; and as of when. */
  long held;

  long heldAsOf;

  /**
   * When its last read was issued, or it came, or had what it waited for: of the time that counts.
   */
  long movedAt;

  /** Whether it waits for a disk. */
  boolean atDisk;

  /**
   * @param first the place of the extent to begin with
   * @param position where that one begins
   */
  Passage(Convoy convoy, int first, long position, Runnable wake, Consumer<Passage> onLeave) {
    this.convoy = convoy;
    this.first = first;
    this.wake = wake;
    this.onLeave = onLeave;
    this.position = position;
    this.extent = first;
    this.extentBegin = position;
  }

  Convoy convoy() {
    return convoy;
  }

  /** The place of the extent to begin with; after the last one comes the first. */
  int first() {
    return first;
  }

  /** Whether nobody else reads the same just now. */
  boolean alone() {
    return convoy.alone();
  }

  void wake() {
    wake.run();
  }

  /** Whether the next read may be issued now; if not, the stream is woken when it may. */
  boolean mayRead() {
    return left || convoy.mayRead(this);
  }

  /**
   * A read was issued.
   *
   * @param lengthOfExtent bytes of it that are read in all
   */
  void read(int ofExtent, int lengthOfExtent, int bytes) {
    if (!left) {
      convoy.advance(this, ofExtent, lengthOfExtent, bytes);
    }
  }

  /** Whether there is nothing that it could do before a disk has read what it asked for. */
  void awaitsDisk(boolean awaits) {
    if (!left && awaits != awaitsDisk) {
      awaitsDisk = awaits;
      convoy.awaitsDisk(this, awaits);
    }
  }

  /** All that was read so far is read again. */
  void rewind(long bytes) {
    if (!left) {
      convoy.rewind(this, bytes);
    }
  }

  /** Everything has been read, or nothing more will be; again is harmless. */
  void leave() {
    if (!left) {
      left = true;
      onLeave.accept(this);
    }
  }
}
