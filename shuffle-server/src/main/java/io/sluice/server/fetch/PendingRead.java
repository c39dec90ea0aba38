package io.sluice.server.fetch;

import org.jspecify.annotations.Nullable;

/**
 * One read of an extent: first under way, then done or failed, then sent. On the connection's event
 * loop; the buffer is the disk's until {@link #completed}.
 */
final class PendingRead {
  private final ReadBuffer buffer;
  private final int offset;
  private final int length;
  private boolean done;
  private boolean ended;
  private @Nullable Throwable failure;
  private int sent;

  PendingRead(ReadBuffer buffer, int offset, int length) {
    this.buffer = buffer;
    this.offset = offset;
    this.length = length;
    buffer.want(length);
  }

  ReadBuffer buffer() {
    return buffer;
  }

  /** From the extent's first byte. */
  int offset() {
    return offset;
  }

  int length() {
    return length;
  }

  void completed(@Nullable Throwable withFailure) {
    done = true;
    failure = withFailure;
    if (ended) {
      buffer.release();
    }
  }

  boolean done() {
    return done;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  int sent() {
    return sent;
  }

  int unsent() {
    return length - sent;
  }

  void sent(int bytes) {
    sent += bytes;
  }

  /** Nothing more will be taken from it; the buffer stays the disk's while it is reading. */
  void end() {
    ended = true;
    if (done) {
      buffer.release();
    }
  }
}
