package org.apache.spark.shuffle.sluice.handle;

import io.sluice.client.placement.Complaint;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/** A task process's message to the driver: it needs a newer placement of a shuffle. Immutable. */
public final class EpochRequest implements Serializable {
  private static final long serialVersionUID = 1;

  private final int shuffleId;
  private final int generation;
  private final int epochs;
  private final Complaint[] complaints;

  /**
   * @param epochs how many the placement must have
   * @param complaints why one more has to be made, if there are fewer
   */
  public EpochRequest(int shuffleId, int generation, int epochs, List<Complaint> complaints) {
    this.shuffleId = shuffleId;
    this.generation = generation;
    this.epochs = epochs;
    this.complaints = complaints.toArray(new Complaint[0]);
  }

  public int shuffleId() {
    return shuffleId;
  }

  public int generation() {
    return generation;
  }

  public int epochs() {
    return epochs;
  }

  public List<Complaint> complaints() {
    return List.of(complaints);
  }

  @Override
  public String toString() {
    return "shuffle "
        + shuffleId
        + "."
        + generation
        + ", epoch "
        + (epochs - 1)
        + ": "
        + Arrays.toString(complaints);
  }
}
