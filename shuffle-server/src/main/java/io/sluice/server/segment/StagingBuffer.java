package io.sluice.server.segment;

import io.sluice.server.disk.DiskOptions;
import java.nio.ByteBuffer;

/**
 * Memory of one unit: room for the header, then the payload. The header's length is known only when
 * the last extent is staged, so it is written right-aligned against the payload, and the unit
 * begins wherever its (aligned) header then begins: no byte is moved and no reserved room written.
 */
final class StagingBuffer {
  /**
   * Attempts are counted as long as there are so many bytes of header room for each, twice what an
   * entry takes: 16,634 in a unit of 4 MiB, as many as it has blocks of 252 bytes. To count that
   * many takes 0.7 MB of heap for each buffer.
   */
  private static final int ATTEMPT_BYTES = 16;

  private final ByteBuffer bytes;
  private final int payloadStart;
  private final ByteBuffer tables;
  private final ExtentTableWriter extents;
  private final AttemptTableWriter attempts;

  /**
   * @param bytes its own, {@link DiskOptions#stagingBuffer} of them, aligned as the disk needs it
   */
  StagingBuffer(DiskOptions options, ByteBuffer bytes) {
    this.bytes = bytes;
    payloadStart = options.headerRoom();
    tables = ByteBuffer.allocate(payloadStart - UnitHeader.FIXED_LENGTH);
    extents = new ExtentTableWriter(tables);
    attempts = new AttemptTableWriter(tables.capacity() / ATTEMPT_BYTES);
  }

  ByteBuffer bytes() {
    return bytes;
  }

  int payloadStart() {
    return payloadStart;
  }

  /** The unit's tables, packed: of extents as they are staged, then that of attempts. */
  ByteBuffer tables() {
    return tables;
  }

  ExtentTableWriter extents() {
    return extents;
  }

  AttemptTableWriter attempts() {
    return attempts;
  }
}
