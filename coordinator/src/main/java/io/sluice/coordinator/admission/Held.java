package io.sluice.coordinator.admission;

/**
 * What somebody has in the cluster now.
 *
 * @param bytes as servers reported, some seconds old
 * @param partitions placed by this leader, or reported by servers if that is more
 * @param applications registered
 */
public record Held(long bytes, long partitions, long applications) {
  public static final Held NOTHING = new Held(0, 0, 0);

  public Held plus(Held other) {
    return new Held(
        bytes + other.bytes, partitions + other.partitions, applications + other.applications);
  }
}
