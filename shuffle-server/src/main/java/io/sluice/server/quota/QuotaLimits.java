package io.sluice.server.quota;

/**
 * How much may be held on this server.
 *
 * @param userBytes blocks of all applications of one user
 * @param applicationBytes blocks of one application
 * @param partitionBytes blocks of one partition
 * @param splitBytes blocks of one partition beyond which its writers are asked to go elsewhere;
 *     unlike the others this refuses nobody for good
 */
public record QuotaLimits(
    long userBytes, long applicationBytes, long partitionBytes, long splitBytes) {
  public static final QuotaLimits NONE =
      new QuotaLimits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

  /** Limits by which no partition is split. */
  public QuotaLimits(long userBytes, long applicationBytes, long partitionBytes) {
    this(userBytes, applicationBytes, partitionBytes, Long.MAX_VALUE);
  }

  /** Whether it matters whose applications are. */
  public boolean limitsUsers() {
    return userBytes != Long.MAX_VALUE;
  }

  /** Whether partitions are limited at all. */
  boolean limitsPartitions() {
    return partitionBytes != Long.MAX_VALUE;
  }
}
