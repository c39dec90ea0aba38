package io.sluice.client;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.placement.Complaint;
import io.sluice.common.id.ShuffleKey;
import java.util.List;

/**
 * What a reader misses of a shuffle, and what is known of the servers that should have it; told by
 * a {@link MissingBlocksException}. Immutable.
 */
public final class Gap {
  final ShuffleKey shuffle;
  final List<MissingMap> maps;
  final List<Complaint> complaints;
  final boolean outOfReach;
  final List<PlacedServer> laterLives;

  private Gap(
      ShuffleKey shuffle,
      List<MissingMap> maps,
      List<Complaint> complaints,
      boolean outOfReach,
      List<PlacedServer> laterLives) {
    this.shuffle = shuffle;
    this.maps = List.copyOf(maps);
    this.complaints = List.copyOf(complaints);
    this.outOfReach = outOfReach;
    this.laterLives = List.copyOf(laterLives);
  }

  /**
   * What no server has that is known to.
   *
   * @param maps every map output that is missed, one at least
   */
  public static Gap of(ShuffleKey shuffle, List<MissingMap> maps) {
    return new Gap(shuffle, maps, List.of(), false, List.of());
  }

  /** The same, part of which may be at these servers, which did not answer. */
  public Gap withSilent(List<Complaint> silent) {
    return new Gap(shuffle, maps, silent, false, laterLives);
  }

  /**
   * The same, all of which may be at these servers, which did not answer: those that did lack
   * nothing.
   *
   * @param silent one at least
   */
  public Gap outOfReach(List<Complaint> silent) {
    if (silent.isEmpty()) {
      throw new IllegalArgumentException("out of reach, and no server is named");
    }
    return new Gap(shuffle, maps, silent, true, laterLives);
  }

  /** The same, where servers answered as these, and have lost something since the placement. */
  public Gap withLaterLives(List<PlacedServer> lives) {
    return new Gap(shuffle, maps, complaints, outOfReach, lives);
  }
}
