package io.sluice.benchmarks.storage.floor;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * What copies alone cost an engine whose blocks lie scattered over its memory, on this machine and
 * in this minute. Of what is written: a block's CRC is checked in the buffer that it was received
 * into, it is copied to where it lies, and once most of the memory has been gone through since, on
 * to the unit that is written. Of what is read: none, as it is sent from where it was read to.
 * Nothing is looked up, locked or remembered. One thread's.
 */
final class CopyFloor {
  private static final double NANOS = 1e9;
  private static final double GOLDEN = 0.6180339887498949;

  /** What is received into. */
  private static final int BUFFER_BYTES = 256 << 10;

  private static final int STAGED_BYTES = 4 << 20;
  private static final long MEASURED_BYTES_MAX = 1L << 30;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final CRC32C crc = new CRC32C();
  private final int block;
  private final ByteBuffer received;
  private final ByteBuffer staged = ByteBuffer.allocateDirect(STAGED_BYTES);
  private final ByteBuffer memory;
  private final int places;
  private final int stride;
  // Of each block in the receive buffer, as its header would say.
  private final long[] said;

  /**
   * @param memoryBytes that blocks lie in; more than one buffer can have count as that
   * @param blockBytes of each; those that do not fit a receive buffer count as if they just did,
   *     since they arrive in parts
   */
  CopyFloor(long memoryBytes, long blockBytes) {
    block = (int) Math.max(1, Math.min(blockBytes, BUFFER_BYTES));
    received = ByteBuffer.allocateDirect(BUFFER_BYTES);
    SplittableRandom random = new SplittableRandom(block);
    while (received.hasRemaining()) {
      received.put((byte) random.nextInt());
    }
    long bytes = Math.max(2L * STAGED_BYTES, Math.min(memoryBytes, MEASURED_BYTES_MAX));
    memory = ByteBuffer.allocateDirect((int) bytes);
    places = (int) (bytes / block);
    stride = stride(places);
    said = new long[BUFFER_BYTES / block];
    for (int i = 0; i < said.length; i++) {
      said[i] = crc(i * block);
    }
  }

  /** A step that visits all places, neighbours long after each other. */
  private static int stride(int places) {
    int step = Math.max(1, (int) (places * GOLDEN));
    while (gcd(step, places) != 1) {
      step++;
    }
    return step;
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** CPU time of so many bytes' way in and out. */
  double written(long bytes) {
    long blocks = Math.max(1, Math.min(bytes, MEASURED_BYTES_MAX) / block);
    long before = threads.getCurrentThreadCpuTime();
    throughMemory(blocks);
    double seconds = (threads.getCurrentThreadCpuTime() - before) / NANOS;
    return seconds * bytes / ((double) blocks * block);
  }

  private void throughMemory(long blocks) {
    int perUnit = STAGED_BYTES / block;
    for (long done = 0; done < blocks; done += perUnit) {
      int now = (int) Math.min(perUnit, blocks - done);
      for (int i = 0; i < now; i++) {
        receive(done + i);
      }
      for (int i = 0; i < now; i++) {
        // What came right after this lies elsewhere by now.
        stage(done + i + 1 + perUnit, i);
      }
    }
  }

  private void receive(long number) {
    int which = (int) (number % said.length);
    int from = which * block;
    if (crc(from) != said[which]) {
      throw new IllegalStateException("memory that nobody has written to has changed");
    }
    memory.put(place(number), received, from, block);
  }

  private long crc(int from) {
    crc.reset();
    crc.update(received.limit(from + block).position(from));
    return crc.getValue();
  }

  private void stage(long number, int at) {
    staged.put(at * block, memory, place(number), block);
  }

  private int place(long number) {
    return (int) (number % places * stride % places) * block;
  }
}
