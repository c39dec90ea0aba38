package io.sluice.server.fetch;

import io.sluice.server.segment.SegmentStore;
import org.jspecify.annotations.Nullable;

/**
 * The disk reads of a stream that have begun and are not sent: how many there may be, and the
 * credit set aside for them. On the connection's event loop.
 *
 * <p>There are {@value #FEW}, or up to {@value #MANY} while more than half of the disk's buffers
 * are free; but only what the reader's credit covers after all that is sent before, so that no
 * buffer waits for a reader that does not read.
 */
final class ReadsAhead {
  /** Buffers a stream reads into at a time: one being sent, the other being filled. */
  static final int FEW = 2;

  /** As much as keeps a flash disk busy, two windows of 1 MiB, if there are few streams. */
  static final int MANY = 8;

  /** They are not cut smaller than this for want of credit. */
  private static final int MIN_BYTES = 64 * 1024;

  private final FetchStream stream;
  private final StreamOutput output;
  private int reads;
  // Bytes of them that are not sent.
  private long reserved;
  private @Nullable SegmentStore last;

  ReadsAhead(FetchStream stream, StreamOutput output) {
    this.stream = stream;
    this.output = output;
  }

  int count() {
    return reads;
  }

  /** Whether one more may begin, of the disk that was read last. */
  boolean mayGoOn() {
    return may(last);
  }

  /**
   * @param store where from; null if nothing was read yet
   */
  private boolean may(@Nullable SegmentStore store) {
    return reads < FEW || (reads < MANY && store != null && output.hasReadBuffersToSpare(store));
  }

  /**
   * Begins reads of an extent, as far as is useful now.
   *
   * @param credit of the reader, all of it
   * @param before bytes that are sent first, and have no reads
   * @return false if there is no use in looking at later works
   */
  boolean begin(ExtentWork work, long credit, long before) {
    while (true) {
      int wanted = work.nextReadBytes(output.readBufferBytes());
      if (wanted == 0) {
        return true;
      }
      long backed = credit - reserved - before;
      boolean ahead = reads > 0 || before > 0;
      if (!may(work.source().store()) || (ahead && backed < Math.min(wanted, MIN_BYTES))) {
        return false;
      }
      int length = (int) Math.min(wanted, backed);
      if (length <= 0 || !work.mayRead() || !output.read(stream, work, length)) {
        return false;
      }
      reserved += length;
      reads++;
      last = work.source().store();
    }
  }

  /**
   * Some of a read was sent.
   *
   * @param all whether nothing of it is left
   */
  void sent(int length, boolean all) {
    reserved -= length;
    if (all) {
      reads--;
    }
  }

  /** What was read of an extent, or is being read, is not sent. */
  void giveUp(ExtentWork work) {
    reads -= work.reads();
    reserved -= work.unsent();
  }

  /** The same of all extents. */
  void giveUpAll() {
    reads = 0;
    reserved = 0;
  }
}
