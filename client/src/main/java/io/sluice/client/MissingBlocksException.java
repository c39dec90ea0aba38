package io.sluice.client;

import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.util.List;

/** A reader's proof that map outputs it was promised are not (wholly, or not intact) to be had. */
public final class MissingBlocksException extends SluiceException {
  private final Gap gap;

  public MissingBlocksException(ErrorCode code, Gap gap, String message) {
    super(code, message);
    this.gap = gap;
  }

  public ShuffleKey shuffle() {
    return gap.shuffle;
  }

  /** Every map output this reader misses, not just the first one met. Never empty. */
  public List<MissingMap> maps() {
    return gap.maps;
  }

  /** Servers that did not answer; blocks that are written again had better go elsewhere. */
  public List<Complaint> complaints() {
    return gap.complaints;
  }

  /** Whether all that is missing may be where it was, at servers that did not answer. */
  public boolean isOutOfReach() {
    return gap.outOfReach;
  }

  /**
   * As whom servers answered that should have had the blocks and have lost something since the
   * placement was made: what else that was, whoever makes placements may not have heard yet.
   */
  public List<PlacedServer> laterLives() {
    return gap.laterLives;
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
