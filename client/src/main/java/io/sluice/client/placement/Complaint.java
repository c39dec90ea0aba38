package io.sluice.client.placement;

import io.sluice.client.PlacedServer;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Objects;

/** Why partitions of a shuffle cannot stay where they are. Immutable; travels to the driver. */
public final class Complaint implements Serializable {
  private static final long serialVersionUID = 2;

  private final PlacedServer server;
  private final ErrorCode code;
  private final int[] partitions;
  private final boolean lasting;

  private Complaint(PlacedServer server, ErrorCode code, int[] partitions, boolean lasting) {
    this.server = server;
    this.code = code;
    this.partitions = partitions;
    this.lasting = lasting;
  }

  /** Nothing of the shuffle can be sent to the server, or be had from it. */
  public static Complaint ofServer(PlacedServer server, ErrorCode code) {
    return new Complaint(server, code, new int[0], false);
  }

  /**
   * The same of a server that has been so for long: if it only has no room, this shuffle does
   * without it where it must. Others, which have not waited, do not.
   */
  public static Complaint ofServerForLong(PlacedServer server, ErrorCode code) {
    return new Complaint(server, code, new int[0], true);
  }

  /** The server does not take these partitions; others it may. */
  public static Complaint ofPartitions(PlacedServer server, ErrorCode code, int[] partitions) {
    return new Complaint(server, code, partitions.clone(), false);
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

  /** Whether the server works, and takes no more for now. */
  public boolean isOfCapacity() {
    return code.blame() == Blame.CAPACITY && code != ErrorCode.DRAINING;
  }

  /** Whether all that is wrong with it is that it has no room for blocks, and not for long. */
  public boolean isOfRoom() {
    return lacksRoom() && !lasting;
  }

  /** Whether all that is wrong with it is that it has no room for blocks, for however long. */
  public boolean lacksRoom() {
    return code == ErrorCode.NO_MEMORY || code == ErrorCode.NO_DISK_SPACE;
  }

  /** Whether it has been so for long. */
  public boolean isForLong() {
    return lasting;
  }

  /** The partitions to move; empty means all that the server has. */
  public int[] partitions() {
    return partitions.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Complaint
        && server.equals(((Complaint) other).server)
        && code == ((Complaint) other).code
        && lasting == ((Complaint) other).lasting
        && Arrays.equals(partitions, ((Complaint) other).partitions);
  }

  @Override
  public int hashCode() {
    return Objects.hash(server, code, Arrays.hashCode(partitions), lasting);
  }

  @Override
  public String toString() {
    return code
        + " from "
        + server
        + (lasting ? " for long" : "")
        + (isOfServer() ? "" : " for " + partitions.length + " partitions");
  }
}
