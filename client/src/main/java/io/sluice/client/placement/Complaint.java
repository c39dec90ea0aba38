package io.sluice.client.placement;

import io.sluice.client.PlacedServer;
import io.sluice.common.error.ErrorCode;
import java.io.Serializable;

/** Why partitions of a shuffle cannot stay where they are. Immutable; travels to the driver. */
public final class Complaint implements Serializable {
  private static final long serialVersionUID = 1;

  private final PlacedServer server;
  private final ErrorCode code;
  private final int[] partitions;

  private Complaint(PlacedServer server, ErrorCode code, int[] partitions) {
    this.server = server;
    this.code = code;
    this.partitions = partitions;
  }

  /** Nothing of the shuffle can be sent to the server, or be had from it. */
  public static Complaint ofServer(PlacedServer server, ErrorCode code) {
    return new Complaint(server, code, new int[0]);
  }

  /** The server does not take these partitions; others it may. */
  public static Complaint ofPartitions(PlacedServer server, ErrorCode code, int[] partitions) {
    return new Complaint(server, code, partitions.clone());
  }

  public PlacedServer server() {
    return server;
  }

  public ErrorCode code() {
    return code;
  }

  /** Whether everything of the shuffle that the server has must move. */
  public boolean isOfServer() {
    return partitions.length == 0;
  }

  /** The partitions to move; empty means all that the server has. */
  public int[] partitions() {
    return partitions.clone();
  }

  @Override
  public String toString() {
    return code
        + " from "
        + server
        + (isOfServer() ? "" : " for " + partitions.length + " partitions");
  }
}
