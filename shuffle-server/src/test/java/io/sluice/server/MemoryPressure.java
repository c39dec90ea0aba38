package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.replication.ReplicationLimits;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.ServerIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Applications that push more than a disk takes, in virtual time: the model of {@code bin/bench
 * pressure}, a sixteenth of its size.
 */
final class MemoryPressure {
  static final long SECOND = 1_000_000_000L;
  static final long DISK_BYTES_PER_SECOND = 4 << 20;
  static final int APPLICATIONS = 10;
  private static final long MIB = 1 << 20;
  private static final long ARENA = 16 * MIB;
  private static final int UNIT = 256 << 10;
  private static final int NEWCOMER = 100;

  final World world;
  final ServerCore core;

  MemoryPressure(long seed) {
    world = new World(seed);
    CreditLimits credit =
        new CreditLimits(64 << 10, 32, 200_000, ARENA / 8, 30 * SECOND, 5 * SECOND);
    FlushLimits flush = FlushLimits.ofArena(ARENA, 0.5, UNIT * 7 / 8, SECOND);
    CoreSettings settings =
        new CoreSettings(
            new CoreSettings.Memory(ARENA, 16 * MIB),
            UNIT,
            new CoreSettings.Reads(16 << 10, 4),
            credit,
            flush,
            QuotaLimits.NONE,
            ReplicationLimits.NONE);
    ServerIdentity identity = new ServerIdentity(ServerId.of(3, 4), 5);
    List<SegmentStore> disks = List.of(new MemoryStore("slow", UNIT, slowDisk()));
    core = new ServerCore(settings, new CoreSeams(world, world.executor(), () -> identity, disks));
  }

  /** Whose tasks each take as long as a unit takes to be written. */
  private Executor slowDisk() {
    long unitNanos = UNIT * SECOND / DISK_BYTES_PER_SECOND;
    long[] idleFrom = {0};
    return task -> {
      idleFrom[0] = Math.max(idleFrom[0], world.nanoTime()) + unitNanos;
      world.schedule(idleFrom[0] - world.nanoTime(), task);
    };
  }

  static ShuffleKey shuffle(int application) {
    return new ShuffleKey(ApplicationId.of(1, application), 0, 0);
  }

  ModelledWriter writer(int application, int blockBytes) {
    TestBlock block = new TestBlock(application % 3, 0, 0, 0, blockBytes);
    return new ModelledWriter(world, core, shuffle(application), block);
  }

  /** Applications with one to three connections and blocks of many sizes; all at once. */
  List<List<ModelledWriter>> press() {
    List<List<ModelledWriter>> all = new ArrayList<>();
    for (int app = 0; app < APPLICATIONS; app++) {
      List<ModelledWriter> writers = new ArrayList<>();
      for (int i = 0; i <= app % 3; i++) {
        writers.add(writer(app, 8_000 + 19_000 * app));
      }
      all.add(writers);
    }
    all.forEach(writers -> writers.forEach(ModelledWriter::pushWithoutEnd));
    return all;
  }

  static double[] accepted(List<List<ModelledWriter>> all) {
    return all.stream()
        .mapToDouble(writers -> writers.stream().mapToLong(w -> w.acceptedBytes).sum())
        .toArray();
  }

  /**
   * Pushes a block each 250 ms for some seconds, a fifth of an even share of the disk; the worst
   * but one in a hundred, in nanoseconds.
   */
  long p99OfNewcomer(int seconds) {
    ModelledWriter newcomer = writer(NEWCOMER, 16_000);
    for (int i = 0; i < seconds * 4; i++) {
      newcomer.pushOne();
      world.advance(SECOND / 4);
    }
    world.advance(SECOND);
    assertThat(newcomer.failures).isEmpty();
    assertThat(newcomer.latencies).hasSize(seconds * 4);
    newcomer.close();
    List<Long> sorted = newcomer.latencies.stream().sorted().toList();
    return sorted.get(sorted.size() * 99 / 100);
  }
}
