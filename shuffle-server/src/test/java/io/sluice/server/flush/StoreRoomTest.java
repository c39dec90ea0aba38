package io.sluice.server.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.ExtentPart;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.UnitBuilder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StoreRoomTest {
  private static final long RESERVED = 64 << 20;
  private static final int UNIT = 4 << 20;

  @Test
  void isFullWithoutRoomForTheUnitsUnderWayAndTwoMore() {
    long needed = RESERVED + (9 + 2) * (long) UNIT;
    assertThat(look(new Roomy(1L << 40, needed, 9))).isEqualTo(Fitness.CROWDED);
    assertThat(look(new Roomy(1L << 40, needed - 1, 9))).isEqualTo(Fitness.FULL);
    assertThat(look(new Roomy(1L << 40, needed - 1, 8))).isEqualTo(Fitness.CROWDED);
  }

  @Test
  void isFitUntilItCannotTellItsSize() {
    assertThat(look(new Roomy(1L << 30, 1L << 29, 0))).isEqualTo(Fitness.FIT);
    assertThat(look(new Roomy(0, 0, 9))).isEqualTo(Fitness.FIT);
  }

  private static Fitness look(SegmentStore store) {
    return new StoreRoom(store, TierLimits.defaults()).look();
  }

  private record Roomy(long capacity, long free, int unitsUnderWay) implements SegmentStore {
    @Override
    public String name() {
      return "roomy";
    }

    @Override
    public int unitBytes() {
      return UNIT;
    }

    @Override
    public DiskUsage usage() {
      return new DiskUsage(capacity, free, 0, 0, 0, 0, 0, true);
    }

    @Override
    public DiskHealth health() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Map<ShuffleKey, List<Extent>> recovered() {
      throw new UnsupportedOperationException();
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
    public void onHealthChange(Runnable listener) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
