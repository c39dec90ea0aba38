package org.apache.spark.shuffle.sluice.handle;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.placement.Complaint;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A reader's message to the driver: these registered map outputs are not to be had. Immutable. */
public final class MissingMaps implements Serializable {
  private static final long serialVersionUID = 4;
  private static final int MAPS_SHOWN = 20;

  private final int shuffleId;
  private final PackedMaps maps;
  private final Complaint[] complaints;
  private final String reason;
  private final boolean forGood;
  private final boolean delivered;
  private final PlacedServer[] laterLives;
  // The driver's own: not sent.
  private final transient long arrival;

  /**
   * @param maps attempts, as registered: the output of another one registered meanwhile stays
   * @param complaints about servers that did not answer
   * @param forGood whether they count as lost also if their servers are there: the job fails if the
   *     reader's task does, or a server that answered has lost something
   */
  public MissingMaps(
      int shuffleId,
      List<MissingMap> maps,
      List<Complaint> complaints,
      String reason,
      boolean forGood) {
    this.shuffleId = shuffleId;
    this.maps = PackedMaps.of(maps);
    this.complaints = complaints.toArray(new Complaint[0]);
    this.reason = reason;
    this.forGood = forGood;
    this.delivered = false;
    this.laterLives = new PlacedServer[0];
    this.arrival = 0;
  }

  private MissingMaps(
      MissingMaps as, boolean delivered, List<PlacedServer> laterLives, long arrival) {
    this.shuffleId = as.shuffleId;
    this.maps = as.maps;
    this.complaints = as.complaints;
    this.reason = as.reason;
    this.forGood = as.forGood;
    this.delivered = delivered;
    this.laterLives = laterLives.toArray(new PlacedServer[0]);
    this.arrival = arrival;
  }

  /** A copy, of outputs that servers have sent as they got them, and that are of no use. */
  public MissingMaps withAllDelivered() {
    return new MissingMaps(this, true, laterLives(), arrival);
  }

  /**
   * A copy, from a reader that met servers again.
   *
   * @param lives as whom they answered that have lost something since the placement was made
   */
  public MissingMaps withLaterLives(List<PlacedServer> lives) {
    return new MissingMaps(this, delivered, lives, arrival);
  }

  /**
   * A copy, as the driver got it.
   *
   * @param number of answers that servers had given when asked once more what they have, before it
   *     came
   */
  public MissingMaps withArrival(long number) {
    return new MissingMaps(this, delivered, laterLives(), number);
  }

  public int shuffleId() {
    return shuffleId;
  }

  public int count() {
    return maps.count();
  }

  /**
   * Of each map the attempt, and the first partition that the reader found missing, or damaged.
   * Unpacked by each call: a report may wait for long, and many of them at once.
   */
  public List<MissingMap> maps() {
    return maps.all();
  }

  /** What maps that run again should not meet. */
  public List<Complaint> complaints() {
    return List.of(complaints);
  }

  public String reason() {
    return reason;
  }

  /** Whether what cannot be reached counts as lost, wherever it is. */
  public boolean forGood() {
    return forGood;
  }

  /** Whether no server lacks them: that they are of no use says nothing of servers. */
  public boolean delivered() {
    return delivered;
  }

  /** As whom servers answered the reader that have lost something: the driver is to know first. */
  public List<PlacedServer> laterLives() {
    return List.of(laterLives);
  }

  /**
   * How many answers of servers that were asked once more what they have the driver had when this
   * came: what a reader met before one says nothing of it. 0 as it is sent.
   */
  public long arrival() {
    return arrival;
  }

  @Override
  public String toString() {
    String first =
        Arrays.stream(maps.firstIndices(MAPS_SHOWN))
            .mapToObj(String::valueOf)
            .collect(Collectors.joining(", ", "[", count() > MAPS_SHOWN ? ", …]" : "]"));
    return "shuffle " + shuffleId + ", " + count() + " maps " + first + ": " + reason;
  }

  /** Who wants to know. Thread-safe. */
  public interface Listener {
    /**
     * Returns when the driver no longer believes these outputs to exist, or has found that they do.
     *
     * @return whether they are lost; if not, another process may have them from where they are
     * @throws io.sluice.common.error.SluiceException if the driver says neither; what it knows then
     *     is uncertain
     */
    boolean mapsMissing(MissingMaps missing);
  }
}
