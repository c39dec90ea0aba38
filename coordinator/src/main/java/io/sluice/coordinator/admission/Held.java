package io.sluice.coordinator.admission;

/**
 * What somebody has in the cluster now.
 *
 * @param bytes as servers reported, some seconds old
 * @param partitions copies in shuffles: those that this leader placed, and those that drivers said
 *     an earlier one did
 * @param applications registered
 */
public record Held(long bytes, long partitions, long applications) {
  public static final Held NOTHING = new Held(0, 0, 0);
}
