package io.sluice.server.segment;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.cache.ReadTarget;
import io.sluice.server.disk.DiskHealth;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A store of which nothing works, for fakes of which a test asks little. */
public interface UnusedStore extends SegmentStore {
  @Override
  default Map<ShuffleKey, List<Extent>> recovered() {
    return Map.of();
  }

  @Override
  default @Nullable UnitBuilder tryStage(ShuffleKey shuffle, Runnable onAvailable) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void write(UnitBuilder unit, WriteCallback callback) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void read(ExtentPart part, int offset, ReadTarget target, ReadCallback callback) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void remove(ShuffleKey shuffle) {
    throw new UnsupportedOperationException();
  }

  @Override
  default DiskUsage usage() {
    throw new UnsupportedOperationException();
  }

  @Override
  default DiskHealth health() {
    throw new UnsupportedOperationException();
  }

  @Override
  default void onHealthChange(Runnable listener) {
    throw new UnsupportedOperationException();
  }

  @Override
  default void close() {}
}
