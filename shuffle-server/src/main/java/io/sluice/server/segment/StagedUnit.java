package io.sluice.server.segment;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/**
 * One unit on its way to disk. Confined to the stager, then to a writer of the disk; {@link
 * #recycle} ends its life.
 */
final class StagedUnit implements UnitBuilder {
  private final StagingBuffer staging;
  private final ShuffleSegments target;
  private final Consumer<StagedUnit> owner;
  private final Crc32c crc = new Crc32c();
  private State state = State.BETWEEN_EXTENTS;
  private int extentStart;
  private int blockStart;
  // Known when it is submitted.
  private int extentTableLength;

  /**
   * @param staging free, and this unit's own until {@code owner} is given it back
   */
  StagedUnit(StagingBuffer staging, ShuffleSegments target, Consumer<StagedUnit> owner) {
    this.staging = staging;
    this.target = target;
    this.owner = owner;
    staging.bytes().clear().position(staging.payloadStart());
    staging.extents().reset();
    staging.attempts().reset();
  }

  @Override
  public int remaining() {
    int remaining = staging.bytes().remaining();
    return staging.extents().fits(remaining) ? remaining : 0;
  }

  @Override
  public ByteBuffer beginExtent(int partition) {
    require(State.BETWEEN_EXTENTS);
    if (remaining() == 0) {
      throw new IllegalStateException("unit is full");
    }
    staging.extents().begin(partition);
    extentStart = staging.bytes().position();
    blockStart = extentStart;
    state = State.IN_EXTENT;
    return staging.bytes();
  }

  @Override
  public void endBlock() {
    require(State.IN_EXTENT);
    ByteBuffer bytes = staging.bytes();
    int header = blockStart;
    if (bytes.position() - header < BlockHeader.LENGTH) {
      throw new IllegalStateException("no block was appended");
    }
    int mapIndex = BlockHeader.mapIndex(bytes, header);
    staging.extents().block(mapIndex, header - extentStart);
    staging
        .attempts()
        .block(
            mapIndex,
            BlockHeader.attemptId(bytes, header),
            BlockHeader.sequence(bytes, header),
            BlockHeader.isLast(bytes, header));
    blockStart = bytes.position();
  }

  @Override
  public void endExtent() {
    require(State.IN_EXTENT);
    if (staging.bytes().position() != blockStart) {
      throw new IllegalStateException("extent ends inside a block");
    }
    staging.extents().end(blockStart - extentStart);
    state = State.BETWEEN_EXTENTS;
  }

  @Override
  public void discard() {
    if (state == State.SUBMITTED || state == State.RECYCLED) {
      throw new IllegalStateException("unit is " + state);
    }
    recycle();
  }

  /** The stager lets go of it. */
  void submit() {
    require(State.BETWEEN_EXTENTS);
    if (staging.extents().extents() == 0) {
      throw new IllegalStateException("unit is empty");
    }
    extentTableLength = staging.tables().position();
    staging.attempts().pack(staging.tables());
    state = State.SUBMITTED;
  }

  private void require(State expected) {
    if (state != expected) {
      throw new IllegalStateException("unit is " + state + ", not " + expected);
    }
  }

  StagingBuffer staging() {
    return staging;
  }

  ShuffleSegments target() {
    return target;
  }

  int payloadLength() {
    return staging.bytes().position() - staging.payloadStart();
  }

  /** Once it is submitted. */
  UnitHeader header(UnitPosition position) {
    return UnitHeader.of(
        target.shuffle(),
        position,
        payloadLength(),
        staging.extents().extents(),
        extentTableLength,
        staging.tables().position() - extentTableLength);
  }

  /** The unit's bytes as they go to disk, aligned; the staging buffer itself is left as it is. */
  ByteBuffer seal(UnitHeader header) {
    ByteBuffer unit = staging.bytes().duplicate();
    int start = staging.payloadStart() - header.payloadOffset();
    int headerEnd = start + header.length();
    int payloadEnd = unit.position();
    header.encode(unit, start, staging.tables().duplicate().flip(), crc);
    zero(unit, headerEnd, staging.payloadStart());
    unit.limit(start + header.unitLength());
    zero(unit, payloadEnd, unit.limit());
    return unit.position(start);
  }

  private static void zero(ByteBuffer buffer, int from, int to) {
    for (int i = from; i < to; i++) {
      buffer.put(i, (byte) 0);
    }
  }

  List<Extent> extents(UnitHeader header) {
    ByteBuffer bytes = staging.bytes().duplicate();
    bytes.clear();
    return header.unpackExtents(bytes, staging.payloadStart() - header.payloadOffset());
  }

  /** Gives the staging buffer to the next unit. */
  void recycle() {
    state = State.RECYCLED;
    owner.accept(this);
  }

  private enum State {
    BETWEEN_EXTENTS,
    IN_EXTENT,
    SUBMITTED,
    RECYCLED
  }
}
