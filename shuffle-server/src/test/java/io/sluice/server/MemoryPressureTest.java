package io.sluice.server;

import static io.sluice.server.MemoryPressure.APPLICATIONS;
import static io.sluice.server.MemoryPressure.DISK_BYTES_PER_SECOND;
import static io.sluice.server.MemoryPressure.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.fair.Jain;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryPressureTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void tenApplicationsShareASlowDiskAndItsMemoryEvenly(long seed) {
    MemoryPressure model = new MemoryPressure(seed);
    List<List<ModelledWriter>> all = model.press();
    model.world.advance(5 * SECOND);
    double[] before = MemoryPressure.accepted(all);
    model.world.advance(20 * SECOND);
    double[] after = MemoryPressure.accepted(all);
    double[] inWindow = new double[APPLICATIONS];
    double[] inMemory = new double[APPLICATIONS];
    for (int app = 0; app < APPLICATIONS; app++) {
      inWindow[app] = after[app] - before[app];
      inMemory[app] =
          Objects.requireNonNull(model.core.shuffles().find(MemoryPressure.shuffle(app)))
              .flushableBytes();
    }
    assertThat(Jain.index(inWindow)).as("bytes accepted").isGreaterThan(0.97);
    assertThat(Jain.index(inMemory)).as("bytes in memory").isGreaterThan(0.9);
    double whole = 0;
    for (double bytes : inWindow) {
      whole += bytes;
    }
    // Units are a fifth empty: they hold whole blocks, some of which are two thirds of a unit.
    assertThat(whole).as("the disk is busy").isGreaterThan(0.7 * 20 * DISK_BYTES_PER_SECOND);
    all.forEach(writers -> writers.forEach(writer -> assertThat(writer.failures).isEmpty()));
  }

  @Test
  void aSmallNewcomerHardlyNoticesThem() {
    MemoryPressure model = new MemoryPressure(1);
    long idle = model.p99OfNewcomer(5);
    List<List<ModelledWriter>> all = model.press();
    model.world.advance(5 * SECOND);
    long pressed = model.p99OfNewcomer(30);
    assertThat(pressed).isLessThanOrEqualTo(Math.max(5 * idle, SECOND / 4));
    all.forEach(writers -> writers.forEach(ModelledWriter::close));
  }

  @Test
  void whoHadTheMemoryAloneGivesWay() {
    MemoryPressure model = new MemoryPressure(1);
    ModelledWriter first = model.writer(0, 60_000);
    first.pushWithoutEnd();
    model.world.advance(10 * SECOND);
    long alone = first.acceptedBytes;
    ModelledWriter second = model.writer(1, 60_000);
    second.pushWithoutEnd();
    model.world.advance(10 * SECOND);
    double share = (double) second.acceptedBytes / (first.acceptedBytes - alone);
    assertThat(share).isBetween(0.9, 1.5);
  }
}
