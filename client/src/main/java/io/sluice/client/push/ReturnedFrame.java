package io.sluice.client.push;

import io.sluice.client.PlacedServer;
import io.sluice.client.connection.PushFrame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.FailedReplica;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A frame whose unanswered blocks a server did not take, and why. */
final class ReturnedFrame {
  private final PushFrame frame;
  private final ServerLane lane;
  private final SluiceException why;
  private final List<FailedReplica> failed;

  /**
   * @param failed other members of the lane's set that did not take the blocks
   */
  ReturnedFrame(PushFrame frame, ServerLane lane, SluiceException why, List<FailedReplica> failed) {
    this.failed = failed;
    this.frame = frame;
    this.lane = lane;
    this.why = why;
  }

  PushFrame frame() {
    return frame;
  }

  /** Whose frame it was. */
  ServerLane lane() {
    return lane;
  }

  SluiceException why() {
    return why;
  }

  /** Who is to be left for it, and why: the lane's server, or other members of its set. */
  Map<PlacedServer, ErrorCode> culprits() {
    Map<PlacedServer, ErrorCode> culprits = new LinkedHashMap<>();
    if (why.code() != ErrorCode.REPLICA_FAILED) {
      culprits.put(lane.server(), why.code());
      return culprits;
    }
    for (PlacedServer member : lane.members()) {
      for (FailedReplica replica : failed) {
        if (member.id().equals(replica.member())) {
          culprits.put(member, replica.why());
        }
      }
    }
    if (culprits.isEmpty()) {
      // Nobody was named: it can only be one of the others.
      lane.members().stream().skip(1).forEach(other -> culprits.put(other, why.code()));
    }
    return culprits;
  }

  int capacity() {
    return frame.capacity();
  }

  void release() {
    frame.release();
  }
}
