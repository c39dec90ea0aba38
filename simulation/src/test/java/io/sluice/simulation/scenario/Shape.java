package io.sluice.simulation.scenario;

import io.sluice.client.ClientConfig;
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
import io.sluice.simulation.time.Dice;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.TransportLimits;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What a simulation is about, all drawn from its seed.
 *
 * @param calm nothing goes wrong: then nothing may fail either
 * @param replicas servers per set, at most as many as there are
 * @param disks per server
 * @param blocksPerAttempt at most
 * @param maxPayloadBytes of one block
 * @param crashes of servers
 * @param stops of servers in order, each followed by a start
 * @param killChance that a map attempt is killed
 * @param epochs whether a driver makes epochs; otherwise placements stay as they are
 * @param fenced whether, after a first shuffle, one server is cut off from the coordinator until it
 *     counts as lost; a second shuffle by the same client must succeed as the first one did
 */
record Shape(
    boolean calm,
    int servers,
    int replicas,
    int disks,
    int maps,
    int partitions,
    int blocksPerAttempt,
    int maxPayloadBytes,
    int readers,
    int crashes,
    int stops,
    double killChance,
    boolean epochs,
    boolean fenced,
    NetworkFaults network,
    DiskFaults disk,
    ServerShape server,
    ClientConfig client,
    ClusterRules rules) {
  private static final int MAX_CONNECTIONS = 4;
  private static final int MIB = 1 << 20;
  private static final int UNIT_BYTES = 64 << 10;
  private static final int MAX_BLOCK_BYTES = 16 << 10;

  static Shape draw(Dice dice) {
    boolean calm = dice.chance(0.15);
    boolean large = dice.chance(0.01);
    int disks = dice.chance(0.2) ? 0 : dice.between(1, 2);
    ConnectionTimeouts timeouts = timeouts(dice);
    int servers = dice.between(1, 4);
    int replicas = Math.min(servers, dice.chance(0.5) ? 1 : dice.between(2, 3));
    return new Shape(
        calm,
        servers,
        replicas,
        disks,
        dice.between(1, large ? 8 : 5),
        dice.between(1, large ? 60 : 12),
        large ? 150 : (int) dice.skewed(4, 150),
        (int) dice.skewed(256, large ? MAX_BLOCK_BYTES : 12000),
        dice.between(1, 4),
        calm || dice.chance(0.4) ? 0 : dice.between(1, 3),
        calm || dice.chance(0.7) ? 0 : dice.between(1, 2),
        dice.chance(0.5) ? 0 : 0.3,
        dice.chance(0.75),
        dice.chance(0.3),
        network(dice, calm, large),
        disk(dice, calm),
        new ServerShape(
            dice.between(1, 2),
            disks > 0,
            core(dice, disks, replicas),
            new DiskOptions(UNIT_BYTES, dice.between(1, 2), 2 * UNIT_BYTES, 2, 64, 8, MIB, 0),
            new ConnectionLimits(64, 16, 64, MAX_BLOCK_BYTES),
            timeouts,
            dice.chance(0.8)),
        client(dice, large),
        new ClusterRules(
            new SilenceLimits(seconds(5), seconds(30), seconds(120)),
            new LeaseTerms(seconds(10), seconds(60)),
            dice.between(200, 2000)));
  }

  private static NetworkFaults network(Dice dice, boolean calm, boolean large) {
    NetworkFaults delays =
        new NetworkFaults(
            dice.skewed(50_000, 20_000_000),
            (int) dice.skewed(large ? 8 << 10 : 64, 128 << 10),
            (int) dice.skewed(large ? 32 << 10 : 1 << 10, 256 << 10),
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
      return new DiskFaults(delay, 0, 0, 0, 0);
    }
    return new DiskFaults(
        delay, often(dice, 0.6), often(dice, 0.3), often(dice, 0.2), often(dice, 0.2));
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

  private static CoreSettings core(Dice dice, int disks, int replicas) {
    // Without disks memory must hold everything; slabs are made on demand, so much costs little.
    long arena = (disks == 0 ? 128L : dice.between(1, 3)) * MIB;
    long start = disks == 0 ? arena / 2 : dice.skewed(16 << 10, 256 << 10);
    // Most shuffles here are smaller than a quarter of the arena: in most of the simulations disks
    // get units that are far from full, or disks would have nothing to fail with.
    long pressure = start + (dice.chance(0.75) ? dice.skewed(4 << 10, 64 << 10) : arena / 4);
    CreditLimits credit =
        new CreditLimits(
            4096L * dice.skewed(1, 32),
            MAX_CONNECTIONS,
            MAX_BLOCK_BYTES,
            dice.skewed(64 << 10, MIB),
            seconds(30),
            dice.skewed(seconds(1) / 10, seconds(10)));
    return new CoreSettings(
        new CoreSettings.Memory(arena + (replicas > 1 ? MIB : 0), 16 * MIB),
        (int) dice.skewed(MAX_BLOCK_BYTES + 4096, UNIT_BYTES),
        new CoreSettings.Reads((int) dice.skewed(4096, UNIT_BYTES), dice.between(1, 4)),
        credit,
        new FlushLimits(
            start, start * 3 / 4, pressure, UNIT_BYTES, dice.skewed(1_000_000, seconds(1))),
        quotas(dice),
        replicas == 1 ? ReplicationLimits.NONE : replication(dice));
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

  private static ClientConfig client(Dice dice, boolean large) {
    int frame = (int) dice.skewed(4096, 64 << 10);
    int largest = Math.max(frame, MAX_BLOCK_BYTES + 64);
    return ClientConfig.builder()
        .frameBytes(frame)
        .maxBlockBytes(MAX_BLOCK_BYTES)
        .maxInFlightBytes(dice.skewed(2L * largest, 16L * largest))
        .readerCreditBytes(dice.skewed(512 << 10, 4 << 20))
        .connectionsPerServer(1)
        .eventLoops(dice.between(1, 2))
        // Shorter or longer than it takes to reach a server again. Short where there is more to
        // read than fits a reader's credit: there it matters what is waited for. The network is
        // fast then; a slow one takes longer than that for what its sockets hold.
        .blockDeadline(Duration.ofSeconds(large ? dice.between(5, 20) : dice.between(40, 120)))
        .suspectAfter(Duration.ofMillis(dice.between(1000, 10_000)))
        .reconnectDeadline(Duration.ofSeconds(dice.between(5, 30)))
        .connectTimeout(Duration.ofSeconds(dice.between(2, 10)))
        .idleCreditTimeout(Duration.ofMillis(dice.between(100, 5000)))
        .build();
  }

  static long seconds(int seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }
}
