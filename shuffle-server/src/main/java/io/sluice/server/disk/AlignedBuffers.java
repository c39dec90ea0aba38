package io.sluice.server.disk;

import java.nio.ByteBuffer;

/** Direct buffers whose address is a multiple of {@link Disk#ALIGNMENT}. */
public final class AlignedBuffers {
  private AlignedBuffers() {}

  /**
   * A zeroed direct buffer, freed when it is garbage collected; meant to be kept.
   *
   * @param capacity in bytes, a multiple of the alignment
   */
  public static ByteBuffer allocate(int capacity) {
    if (capacity % Disk.ALIGNMENT != 0) {
      throw new IllegalArgumentException("capacity " + capacity + " is not aligned");
    }
    // Up to one alignment is lost before the first aligned address.
    ByteBuffer aligned =
        ByteBuffer.allocateDirect(capacity + Disk.ALIGNMENT).alignedSlice(Disk.ALIGNMENT);
    return aligned.limit(capacity).slice();
  }

  /** The next multiple of the alignment at or above a length. */
  public static int align(int length) {
    return (length + Disk.ALIGNMENT - 1) & -Disk.ALIGNMENT;
  }
}
