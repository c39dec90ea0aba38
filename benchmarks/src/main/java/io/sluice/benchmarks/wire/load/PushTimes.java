package io.sluice.benchmarks.wire.load;

/**
 * When frames were handed over, and how many of their blocks have no answer yet. Answers come in
 * any order. One thread's.
 */
public final class PushTimes {
  /** More frames than a link's window holds. */
  private static final int SLOTS = 256;

  private final int blocksPerFrame;
  private final long[] sentAt;
  private final int[] unanswered;
  private long sentFrames;
  private long answeredBlocks;
  private long target;
  private long batch;

  PushTimes(int blocksPerFrame) {
    this(blocksPerFrame, SLOTS);
  }

  /**
   * @param frames on their way at most
   */
  public PushTimes(int blocksPerFrame, int frames) {
    this.blocksPerFrame = blocksPerFrame;
    this.sentAt = new long[frames];
    this.unanswered = new int[frames];
  }

  /** So many more frames are about to be sent. */
  void begin(long frames) {
    batch = frames;
    target = (sentFrames + frames) * blocksPerFrame;
  }

  /** A frame is handed over. */
  public void sent(long now) {
    int slot = (int) (sentFrames++ % sentAt.length);
    if (unanswered[slot] != 0) {
      throw new IllegalStateException("more than " + sentAt.length + " frames on their way");
    }
    sentAt[slot] = now;
    unanswered[slot] = blocksPerFrame;
  }

  /**
   * Blocks {@code first .. first + count - 1} are answered; whole frames are entered.
   *
   * @return how many frames are whole by this
   */
  public int answered(long first, int count, long now, Latencies latencies) {
    int whole = 0;
    answeredBlocks += count;
    long block = first;
    long end = first + count;
    while (block < end) {
      long frame = block / blocksPerFrame;
      int part = (int) (Math.min(end, (frame + 1) * blocksPerFrame) - block);
      int slot = (int) (frame % sentAt.length);
      unanswered[slot] -= part;
      if (unanswered[slot] == 0) {
        latencies.add(now - sentAt[slot]);
        whole++;
      }
      block += part;
    }
    return whole;
  }

  /** Whether all that was begun is answered. */
  boolean isComplete() {
    return answeredBlocks == target;
  }

  /** How many frames were begun last. */
  long frames() {
    return batch;
  }
}
