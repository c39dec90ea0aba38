package io.sluice.simulation.scenario;

import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.cluster.ClusterRules;
import io.sluice.coordinator.membership.SilenceLimits;
import io.sluice.server.CoreSettings;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.flush.FlushLimits;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.replication.AckRule;
import io.sluice.server.replication.ReplicationLimits;
import io.sluice.simulation.cluster.ServerShape;
import io.sluice.simulation.disk.DiskFaults;
import io.sluice.simulation.network.NetworkFaults;
import io.sluice.simulation.scenario.Workload.Size;
import io.sluice.simulation.time.Dice;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.TransportLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a simulation is about, all drawn from its seed.
 *
 * @param calm nothing goes wrong: then nothing may fail either
 * @param coordinators that elect a leader
 * @param disks per server
 * @param workloads one for each application
 * @param oneUser whose they all are; else each has its own
 * @param crashes of servers
 * @param stops of servers in order, each followed by a start
 * @param fenced whether, after its first shuffle, the first application has one server cut off from
 *     the coordinators until it counts as lost; a second shuffle by the same client must succeed as
 *     the first one did
 */
record Shape(
    boolean calm,
    int coordinators,
    int servers,
    int disks,
    List<Workload> workloads,
    boolean oneUser,
    int crashes,
    int stops,
    boolean fenced,
    NetworkFaults network,
    DiskFaults disk,
    ServerShape server,
    ClusterRules rules) {
  /** Of two applications with two processes each, and of four other servers, twice. */
  private static final int MAX_CONNECTIONS = 8;

  private static final int MIB = 1 << 20;
  private static final int UNIT_BYTES = 64 << 10;

  static Shape draw(Dice dice) {
    boolean calm = dice.chance(0.15);
    Size size = dice.chance(0.01) ? Size.HUGE : dice.chance(0.1) ? Size.LARGE : Size.SMALL;
    int disks = dice.chance(0.2) ? 0 : dice.between(1, 2);
    ConnectionTimeouts timeouts = timeouts(dice);
    int servers = dice.chance(0.6) ? 5 : dice.between(1, 4);
    int applications = dice.chance(0.8) ? 2 : 1;
    List<Workload> workloads = new ArrayList<>();
    for (int i = 0; i < applications; i++) {
      workloads.add(Workload.draw(dice, size, servers));
    }
    boolean replicates = workloads.stream().anyMatch(workload -> workload.replicas() > 1);
    return new Shape(
        calm,
        dice.chance(0.8) ? 3 : 1,
        servers,
        disks,
        workloads,
        dice.chance(0.5),
        calm || dice.chance(0.4) ? 0 : dice.between(1, 3),
        calm || dice.chance(0.7) ? 0 : dice.between(1, 2),
        // In calm it would be a fault to the other application.
        dice.chance(0.2) && (!calm || applications == 1),
        network(dice, calm, size),
        disk(dice, calm),
        new ServerShape(
            dice.between(1, 2),
            disks > 0,
            core(dice, disks, replicates),
            new DiskOptions(UNIT_BYTES, dice.between(1, 2), 2 * UNIT_BYTES, 2, 64, 8, MIB, 0),
            new ConnectionLimits(64, 16, 64, Workload.MAX_BLOCK_BYTES),
            timeouts,
            dice.chance(0.8)),
        new ClusterRules(
            new SilenceLimits(seconds(5), seconds(30), seconds(120)),
            new LeaseTerms(seconds(10), seconds(60)),
            dice.between(200, 2000)));
  }

  private static NetworkFaults network(Dice dice, boolean calm, Size size) {
    boolean huge = size == Size.HUGE;
    // Pieces are skewed towards one byte in any case; where they are all tiny, that is all there
    // is.
    int shortest = huge ? 8 << 10 : dice.chance(0.05) ? 64 : 2 << 10;
    NetworkFaults delays =
        new NetworkFaults(
            dice.skewed(50_000, 20_000_000),
            (int) dice.skewed(shortest, 128 << 10),
            (int) dice.skewed(huge ? 32 << 10 : 1 << 10, 256 << 10),
            0,
            0,
            1,
            0,
            0);
    if (calm) {
      return delays;
    }
    return new NetworkFaults(
        delays.maxDelayNanos(),
        delays.maxPieceBytes(),
        delays.windowBytes(),
        some(dice, 0.02),
        some(dice, 0.02),
        dice.skewed(1_000_000, seconds(10)),
        some(dice, 0.002),
        some(dice, 0.01));
  }

  private static DiskFaults disk(Dice dice, boolean calm) {
    long delay = dice.skewed(100_000, 100_000_000);
    if (calm) {
      return new DiskFaults(delay, 0, 0, 0, 0, 0);
    }
    return new DiskFaults(
        delay,
        often(dice, 0.6),
        often(dice, 0.3),
        often(dice, 0.2),
        dice.chance(0.75) ? 0 : 0.5,
        often(dice, 0.2));
  }

  /** For what only those meet who write to disks at all: in every second simulation of these. */
  private static double often(Dice dice, double most) {
    return dice.chance(0.5) ? 0 : most * dice.between(100, 1000) / 1000;
  }

  /** Most simulations have only some kinds of faults, so that each is seen without the others. */
  private static double some(Dice dice, double most) {
    return dice.chance(0.6) ? 0 : most * dice.skewed(10, 1000) / 1000;
  }

  /** Everything is counted, by user too, and nothing is refused; some partitions are split. */
  private static QuotaLimits quotas(Dice dice) {
    long unreached = Long.MAX_VALUE / 4;
    long split = dice.chance(0.2) ? dice.skewed(512, 32 << 10) : unreached;
    return new QuotaLimits(unreached, unreached, unreached, split);
  }

  private static CoreSettings core(Dice dice, int disks, boolean replicates) {
    // Without disks memory must hold everything; slabs are made on demand, so much costs little.
    long arena = (disks == 0 ? 32L : dice.between(1, 3)) * MIB;
    long start = disks == 0 ? arena / 2 : dice.skewed(8 << 10, 128 << 10);
    // Most shuffles here are smaller than a quarter of the arena: in most of the simulations disks
    // get units that are far from full, or disks would have nothing to fail with.
    long pressure = start + (dice.chance(0.75) ? dice.skewed(4 << 10, 32 << 10) : arena / 4);
    int block = Workload.MAX_BLOCK_BYTES;
    CreditLimits credit =
        new CreditLimits(
            4096L * dice.skewed(1, 16),
            MAX_CONNECTIONS,
            block,
            dice.skewed(64 << 10, MIB),
            seconds(30),
            dice.skewed(seconds(1) / 10, seconds(10)));
    return new CoreSettings(
        new CoreSettings.Memory(arena + (replicates ? MIB : 0), 16 * MIB),
        (int) dice.skewed(block + 4096, UNIT_BYTES),
        new CoreSettings.Reads((int) dice.skewed(4096, UNIT_BYTES), dice.between(1, 4)),
        credit,
        new FlushLimits(
            start, start * 3 / 4, pressure, UNIT_BYTES, dice.skewed(1_000_000, seconds(1))),
        quotas(dice),
        replicates ? replication(dice) : ReplicationLimits.NONE);
  }

  private static ReplicationLimits replication(Dice dice) {
    long reserve = TransportLimits.CREDIT_UNIT * dice.skewed(32, 128);
    return new ReplicationLimits(reserve, dice.chance(0.7) ? AckRule.ALL : AckRule.MAJORITY);
  }

  private static ConnectionTimeouts timeouts(Dice dice) {
    return new ConnectionTimeouts(
        seconds(dice.between(2, 10)),
        seconds(dice.between(1, 5)),
        seconds(dice.between(2, 15)),
        seconds(dice.between(10, 60)),
        seconds(dice.between(1, 5)));
  }

  static long seconds(int seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }
}
