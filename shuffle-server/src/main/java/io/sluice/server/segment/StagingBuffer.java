package io.sluice.server.segment;

import io.sluice.server.disk.AlignedBuffers;
import io.sluice.server.disk.DiskOptions;
import java.nio.ByteBuffer;

/**
 * Memory of one unit: room for the header, then the payload. The header's length is known only when
 * the last extent is staged, so it is written right-aligned against the payload, and the unit
 * begins wherever its (aligned) header then begins: no byte is moved and no reserved room written.
 */
final class StagingBuffer {
  private final ByteBuffer bytes;
  private final int payloadStart;
  private final ExtentTableWriter table;

  StagingBuffer(DiskOptions options) {
    payloadStart = options.headerRoom();
    bytes = AlignedBuffers.allocate(payloadStart + options.unitSize());
    table = new ExtentTableWriter(payloadStart - UnitHeader.FIXED_LENGTH);
  }

  ByteBuffer bytes() {
    return bytes;
  }

  int payloadStart() {
    return payloadStart;
  }

  ExtentTableWriter table() {
    return table;
  }
}
