package io.sluice.simulation.scenario;

import io.sluice.client.ClientConfig;
import io.sluice.simulation.time.Dice;
import java.time.Duration;

/**
 * What one application does, all drawn from the seed.
 *
 * @param replicas servers per set, at most as many as there are
 * @param blocksPerAttempt at most
 * @param maxPayloadBytes of one block
 * @param readers side by side; one more reads everything after them
 * @param killChance that a map attempt is killed
 * @param epochs whether a driver makes epochs; otherwise placements stay as they are
 */
record Workload(
    int replicas,
    int maps,
    int partitions,
    int blocksPerAttempt,
    int maxPayloadBytes,
    int readers,
    double killChance,
    boolean epochs,
    ClientConfig client) {
  /** The largest block that servers take, in bytes. */
  static final int MAX_BLOCK_BYTES = 16 << 10;

  /** How much there is to do. */
  enum Size {
    /** A few tasks with a few blocks each: what most faults need. */
    SMALL,
    /** Tens of tasks. */
    LARGE,
    /** More than fits a reader's credit. */
    HUGE
  }

  static Workload draw(Dice dice, Size size, int servers) {
    int replicas = Math.min(servers, dice.chance(0.5) ? 1 : dice.between(2, 3));
    return new Workload(
        replicas,
        switch (size) {
          case SMALL -> dice.between(1, 5);
          case LARGE -> dice.between(6, 16);
          case HUGE -> dice.between(1, 8);
        },
        switch (size) {
          case SMALL -> dice.between(1, 12);
          case LARGE -> dice.between(4, 30);
          case HUGE -> dice.between(1, 60);
        },
        switch (size) {
          case SMALL -> (int) dice.skewed(4, 60);
          case LARGE -> (int) dice.skewed(8, 60);
          case HUGE -> 150;
        },
        (int) dice.skewed(256, size == Size.HUGE ? MAX_BLOCK_BYTES : 12_000),
        dice.between(1, size == Size.LARGE ? 8 : 3),
        dice.chance(0.5) ? 0 : 0.3,
        dice.chance(0.75),
        client(dice, size));
  }

  private static ClientConfig client(Dice dice, Size size) {
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
        .blockDeadline(
            Duration.ofSeconds(size == Size.HUGE ? dice.between(5, 20) : dice.between(40, 120)))
        .suspectAfter(Duration.ofMillis(dice.between(1000, 10_000)))
        .reconnectDeadline(Duration.ofSeconds(dice.between(5, 30)))
        .connectTimeout(Duration.ofSeconds(dice.between(2, 10)))
        .idleCreditTimeout(Duration.ofMillis(dice.between(100, 5000)))
        .build();
  }
}
