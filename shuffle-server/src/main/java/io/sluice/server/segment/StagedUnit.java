package io.sluice.server.segment;

import io.sluice.common.block.Crc32c;
import io.sluice.common.id.ShuffleKey;
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

  /**
   * @param staging free, and this unit's own until {@code owner} is given it back
   */
  StagedUnit(StagingBuffer staging, ShuffleSegments target, Consumer<StagedUnit> owner) {
    this.staging = staging;
    this.target = target;
    this.owner = owner;
    staging.bytes().clear().position(staging.payloadStart());
    staging.table().reset();
  }

  @Override
  public int remaining() {
    int remaining = staging.bytes().remaining();
    return staging.table().fits(remaining) ? remaining : 0;
  }

  @Override
  public ByteBuffer beginExtent(int partition) {
    require(State.BETWEEN_EXTENTS);
    if (remaining() == 0) {
      throw new IllegalStateException("unit is full");
    }
    staging.table().begin(partition);
    extentStart = staging.bytes().position();
    state = State.IN_EXTENT;
    return staging.bytes();
  }

  @Override
  public void block(int mapIndex) {
    require(State.IN_EXTENT);
    staging.table().block(mapIndex, staging.bytes().position() - extentStart);
  }

  @Override
  public void endExtent() {
    require(State.IN_EXTENT);
    staging.table().end(staging.bytes().position() - extentStart);
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
    if (staging.table().extents() == 0) {
      throw new IllegalStateException("unit is empty");
    }
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

  UnitHeader header(UnitPosition position) {
    ShuffleKey shuffle = target.shuffle();
    int length = UnitHeader.FIXED_LENGTH + staging.table().packed().remaining();
    return new UnitHeader(shuffle, position, length, payloadLength(), staging.table().extents());
  }

  /** The unit's bytes as they go to disk, aligned; the staging buffer itself is left as it is. */
  ByteBuffer seal(UnitHeader header) {
    ByteBuffer unit = staging.bytes().duplicate();
    int start = staging.payloadStart() - header.payloadOffset();
    int headerEnd = start + header.length();
    int payloadEnd = unit.position();
    header.encode(unit, start, staging.table().packed(), crc);
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
