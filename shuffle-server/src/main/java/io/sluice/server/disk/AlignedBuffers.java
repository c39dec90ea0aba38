package io.sluice.server.disk;

import java.nio.ByteBuffer;

/**
 * Direct buffers whose address is a multiple of {@link Disk#ALIGNMENT}; large ones begin where a
 * huge page may.
 *
 * <p>A disk is given the physical address of every piece of a buffer. In pages of 4 KiB a mebibyte
 * is 256 pieces, more than one request of many devices takes, and the system's disk driver splits
 * it; in huge pages it is one. Reads are 1.4 to 1.7 times as fast for it ({@code
 * docs/benchmarks/storage.md}). So whoever needs several buffers cuts them from one.
 */
public final class AlignedBuffers {
  /** Bytes of a huge page, on x86-64 and on ARM64 with base pages of 4 KiB. */
  public static final int HUGE_PAGE = 2 << 20;

  /**
   * From so many bytes on a buffer begins with a huge page: what is lost for it is a sixth then.
   */
  static final int LARGE = 12 << 20;

  private AlignedBuffers() {}

  /**
   * A zeroed direct buffer, freed when it is garbage collected; meant to be kept. Takes {@link
   * #memoryOf} bytes of direct memory.
   *
   * @param capacity in bytes, a multiple of the alignment
   */
  public static ByteBuffer allocate(int capacity) {
    if (capacity % Disk.ALIGNMENT != 0) {
      throw new IllegalArgumentException("capacity " + capacity + " is not aligned");
    }
    int boundary = boundaryOf(capacity);
    ByteBuffer raw = ByteBuffer.allocateDirect(capacity + boundary);
    int beyond = raw.alignmentOffset(0, boundary);
    return raw.slice(beyond == 0 ? 0 : boundary - beyond, capacity);
  }

  /** What a buffer of so many bytes takes: up to one boundary is lost before the first of them. */
  public static long memoryOf(int capacity) {
    return (long) capacity + boundaryOf(capacity);
  }

  private static int boundaryOf(int capacity) {
    return capacity < LARGE ? Disk.ALIGNMENT : HUGE_PAGE;
  }

  /** The next multiple of the alignment at or above a length. */
  public static int align(int length) {
    return (length + Disk.ALIGNMENT - 1) & -Disk.ALIGNMENT;
  }
}
