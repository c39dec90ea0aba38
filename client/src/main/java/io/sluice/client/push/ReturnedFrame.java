package io.sluice.client.push;

import io.sluice.client.PlacedServer;
import io.sluice.client.connection.PushFrame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.FailedReplica;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

  /**
   * What can be done where nobody else takes the blocks: for a set that has members to blame, what
   * can be done about all of them.
   */
  Outlook outlook() {
    Outlook own = Outlook.of(why.code());
    if (own != Outlook.OF_OTHERS) {
      return own;
    }
    Set<Outlook> ofMembers = EnumSet.noneOf(Outlook.class);
    culprits().values().forEach(code -> ofMembers.add(Outlook.of(code)));
    if (ofMembers.contains(Outlook.NONE)) {
      return Outlook.NONE;
    }
    return ofMembers.equals(EnumSet.of(Outlook.NO_ROOM)) ? Outlook.NO_ROOM : Outlook.OF_OTHERS;
  }

  int capacity() {
    return frame.capacity();
  }

  void release() {
    frame.release();
  }
}
