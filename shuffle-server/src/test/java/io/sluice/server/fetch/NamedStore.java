package io.sluice.server.fetch;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.ExtentPart;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.UnitBuilder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A store that is only told apart, and says what it has at hand. */
public record NamedStore(String name, Predicate<Extent> atHand) implements SegmentStore {
  public NamedStore(String name) {
    this(name, extent -> false);
  }

  @Override
  public int firstAtHand(List<ExtentPart> parts) {
    return IntStream.range(0, parts.size())
        .filter(i -> atHand.test(parts.get(i).extent()))
        .findFirst()
        .orElse(-1);
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
  public void read(ExtentPart part, int offset, ByteBuffer target, ReadCallback callback) {
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
  public DiskHealth health() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void onHealthChange(Runnable listener) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
