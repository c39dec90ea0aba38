package io.sluice.server.quota;

/**
 * How much may be held on this server.
 *
 * @param userBytes blocks of all applications of one user
 * @param applicationBytes blocks of one application
 * @param partitionBytes blocks of one partition
 */
public record QuotaLimits(long userBytes, long applicationBytes, long partitionBytes) {
  public static final QuotaLimits NONE =
      new QuotaLimits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

  /** Whether it matters whose applications are. */
  public boolean limitsUsers() {
    return userBytes != Long.MAX_VALUE;
  }

  /** Whether partitions are limited at all. */
  boolean limitsPartitions() {
    return partitionBytes != Long.MAX_VALUE;
  }
}
