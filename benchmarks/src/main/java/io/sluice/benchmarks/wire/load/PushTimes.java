package io.sluice.benchmarks.wire.load;

/**
 * When frames were handed over, and how many of their blocks have no answer yet. Answers come in
 * any order. One thread's.
 */
final class PushTimes {
  /** More frames than a link's window holds. */
  private static final int SLOTS = 256;

  private final int blocksPerFrame;
  private final long[] sentAt = new long[SLOTS];
  private final int[] unanswered = new int[SLOTS];
  private long sentFrames;
  private long answeredBlocks;
  private long target;
  private long batch;

  PushTimes(int blocksPerFrame) {
    this.blocksPerFrame = blocksPerFrame;
  }

  /** So many more frames are about to be sent. */
  void begin(long frames) {
    batch = frames;
    target = (sentFrames + frames) * blocksPerFrame;
  }

  void sent(long now) {
    int slot = (int) (sentFrames++ % SLOTS);
    if (unanswered[slot] != 0) {
      throw new IllegalStateException("more than " + SLOTS + " frames on their way");
    }
    sentAt[slot] = now;
    unanswered[slot] = blocksPerFrame;
  }

  /** Blocks {@code first .. first + count - 1} are answered; whole frames are entered. */
  void answered(long first, int count, long now, Latencies latencies) {
    answeredBlocks += count;
    long block = first;
    long end = first + count;
    while (block < end) {
      long frame = block / blocksPerFrame;
      int part = (int) (Math.min(end, (frame + 1) * blocksPerFrame) - block);
      int slot = (int) (frame % SLOTS);
      unanswered[slot] -= part;
      if (unanswered[slot] == 0) {
        latencies.add(now - sentAt[slot]);
      }
      block += part;
    }
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
