package io.sluice.client;

import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.util.List;

/** A reader's proof that map outputs it was promised are not (wholly, or not intact) to be had. */
public final class MissingBlocksException extends SluiceException {
  private final ShuffleKey shuffle;
  private final List<MissingMap> maps;
  private final List<Complaint> complaints;
  private final boolean outOfReach;
  private final List<PlacedServer> laterLives;

  public MissingBlocksException(
      ErrorCode code, ShuffleKey shuffle, List<MissingMap> maps, String message) {
    this(code, shuffle, maps, List.of(), message);
  }

  /**
   * For a gap that nobody who answered has to do with, if there are complaints.
   *
   * @param complaints about servers that should have had the blocks and did not answer
   */
  public MissingBlocksException(
      ErrorCode code,
      ShuffleKey shuffle,
      List<MissingMap> maps,
      List<Complaint> complaints,
      String message) {
    this(code, shuffle, maps, complaints, !complaints.isEmpty(), List.of(), message);
  }

  /**
   * @param complaints about servers that should have had the blocks and did not answer
   * @param outOfReach whether those are all that lack something: nobody who answered does
   * @param laterLives as whom servers answered that have lost something since the placement
   */
  public MissingBlocksException(
      ErrorCode code,
      ShuffleKey shuffle,
      List<MissingMap> maps,
      List<Complaint> complaints,
      boolean outOfReach,
      List<PlacedServer> laterLives,
      String message) {
    super(code, message);
    this.outOfReach = outOfReach;
    this.laterLives = List.copyOf(laterLives);
    this.shuffle = shuffle;
    this.maps = List.copyOf(maps);
    this.complaints = List.copyOf(complaints);
  }

  public ShuffleKey shuffle() {
    return shuffle;
  }

  /** Every map output this reader misses, not just the first one met. Never empty. */
  public List<MissingMap> maps() {
    return maps;
  }

  /** Servers that did not answer; blocks that are written again had better go elsewhere. */
  public List<Complaint> complaints() {
    return complaints;
  }

  /** Whether all that is missing may be where it was, at servers that did not answer. */
  public boolean isOutOfReach() {
    return outOfReach;
  }

  /**
   * As whom servers answered that should have had the blocks and have lost something since the
   * placement was made: what else that was, whoever makes placements may not have heard yet.
   */
  public List<PlacedServer> laterLives() {
    return laterLives;
  }

  /** One map attempt of which a partition is missing. */
  public static final class MissingMap {
    private final int mapIndex;
    private final long attemptId;
    private final int partition;

    public MissingMap(int mapIndex, long attemptId, int partition) {
      this.mapIndex = mapIndex;
      this.attemptId = attemptId;
      this.partition = partition;
    }

    public int mapIndex() {
      return mapIndex;
    }

    public long attemptId() {
      return attemptId;
    }

    /** The first partition found missing. */
    public int partition() {
      return partition;
    }

    @Override
    public String toString() {
      return "map " + mapIndex + " attempt " + attemptId + " partition " + partition;
    }
  }
}
