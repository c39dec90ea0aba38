package io.sluice.server.replication;

import io.sluice.server.credit.CreditLimits;

/**
 * How a server takes part in replica sets.
 *
 * @param reserveBytes of the arena that only blocks from other servers are promised; whole
 *     mebibytes. 0 in an arena that is too small for it: they take their turn with clients then
 * @param ack when a block is acknowledged
 */
public record ReplicationLimits(long reserveBytes, AckRule ack) {
  private static final int MIB = 1 << 20;

  /** No reserve. */
  public static final ReplicationLimits NONE = new ReplicationLimits(0, AckRule.ALL);

  /**
   * A sixteenth of the arena, which at 10 Gbit/s and 0.5 ms covers what is under way (625 kB) from
   * a hundred servers in an arena of 1 GiB; but room for eight of the largest blocks, and never
   * more than a quarter. Nothing in an arena that would then be too small for clients.
   */
  public static long reserveOf(long arenaBytes, CreditLimits credit) {
    long least = 8 * credit.maxCharge();
    long share = Math.min(Math.max(arenaBytes / 16, least), arenaBytes / 4);
    long whole = share / MIB * MIB;
    boolean useless = whole < 4 * credit.maxCharge();
    return useless || !credit.fits(arenaBytes - whole) ? 0 : whole;
  }

  /**
   * What may stay in memory for members that lag, after the others' answers were enough and the
   * client was told: an eighth of the arena. Members far behind cost no more than that; with 24 GiB
   * it is what 10 Gbit/s bring in 2.5 s.
   */
  public static long keptOf(long arenaBytes) {
    return arenaBytes / 8;
  }

  /**
   * Credit of connections from other servers: what a client gets, but that seeds take a quarter of
   * the reserve at most, so that most of it goes where blocks wait.
   */
  public CreditLimits credit(CreditLimits clients) {
    return new CreditLimits(
        clients.seedBytes(),
        (int) Math.min(clients.maxConnections(), reserveBytes / 4 / clients.seedBytes()),
        clients.maxBlockBytes(),
        Math.max(reserveBytes / 4, clients.maxCharge()),
        clients.wantTimeoutNanos(),
        clients.idleNanos());
  }
}
