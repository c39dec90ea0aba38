package io.sluice.server.damage;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.World;
import io.sluice.server.cache.ReadTarget;
import io.sluice.server.disk.DiskFence;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.ExtentPart;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.TestBlocks;
import io.sluice.server.segment.UnitBuilder;
import io.sluice.server.segment.UnitRange;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A disk with one segment, whose reads wait until they are answered. Extents are of {@value
 * #BLOCKS} blocks, one of each map, and each has as many bytes.
 */
final class ParkedStore implements SegmentStore {
  static final int BLOCKS = 3;
  static final int STORED = 100;
  static final int EXTENT_BYTES = BLOCKS * (BlockHeader.LENGTH + STORED);

  final Queue<Parked> parked = new ArrayDeque<>();

  /** Partitions in the order in which they were read. */
  final List<Integer> read = new ArrayList<>();

  /** Thrown by the next read, which is parked all the same. */
  @Nullable Throwable toThrow;

  /** Its health. */
  final DiskFence fence;

  private final String name;
  private final ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
  private final List<Long> unitEnds = new ArrayList<>(List.of(0L));

  /** A read that was asked for. */
  record Parked(ExtentPart part, int offset, ReadTarget target, ReadCallback callback) {}

  ParkedStore(String name) {
    this.name = name;
    this.fence = new DiskFence(name, new World(1), 1);
  }

  Extent add(int partition) {
    int offset = bytes.position();
    bytes.put(TestBlocks.extent(partition, BLOCKS, STORED));
    return new Extent(
        partition, 1, offset, EXTENT_BYTES, BLOCKS, 0, BLOCKS - 1, new int[0], new int[0]);
  }

  /** What was added since the last one is a unit. */
  void endUnit() {
    unitEnds.add((long) bytes.position());
  }

  void zero(Extent extent, int offset, int length) {
    bytes.put((int) extent.offset() + offset, new byte[length]);
  }

  void answer() {
    Parked next = parked.remove();
    int from = (int) next.part.extent().offset() + next.offset;
    int length = next.target.length();
    next.target.room(0, length).put(bytes.slice(from, length));
    next.callback.read(null);
  }

  void fail(ErrorCode code) {
    parked.remove().callback.read(new SluiceException(code, "told to fail"));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void read(ExtentPart part, int offset, ReadTarget target, ReadCallback callback) {
    read.add(part.extent().partition());
    parked.add(new Parked(part, offset, target, callback));
    Throwable thrown = toThrow;
    toThrow = null;
    if (thrown instanceof Error error) {
      throw error;
    } else if (thrown instanceof RuntimeException exception) {
      throw exception;
    }
  }

  @Override
  public UnitRange unitOf(Extent extent) {
    for (int i = 1; i < unitEnds.size(); i++) {
      if (extent.offset() < unitEnds.get(i)) {
        return new UnitRange(unitEnds.get(i - 1), unitEnds.get(i));
      }
    }
    return UnitRange.ALL;
  }

  @Override
  public DiskHealth health() {
    return fence.current();
  }

  @Override
  public void onHealthChange(Runnable listener) {
    fence.onChange(listener);
  }

  @Override
  public Map<ShuffleKey, List<Extent>> recovered() {
    return Map.of();
  }

  @Override
  public @Nullable UnitBuilder tryStage(ShuffleKey shuffle, Runnable onAvailable) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void write(UnitBuilder unit, WriteCallback callback) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void remove(ShuffleKey shuffle) {
    throw new UnsupportedOperationException();
  }

  @Override
  public DiskUsage usage() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
