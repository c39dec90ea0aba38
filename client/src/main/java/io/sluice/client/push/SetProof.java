package io.sluice.client.push;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.PlacedServer;
import io.sluice.client.Survivors;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.connection.PushFrame;
import io.sluice.client.connection.PushOwner;
import io.sluice.client.connection.ServerConnection;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ReplicaMember;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Whether a replica set still has what it stored: as many of its members as {@link Survivors} asks
 * for are the lives that took it. A connection that stands proves that of a member; where those do
 * not suffice all members are asked at once. Only if too few answer, the answer takes as long as a
 * server may be away.
 */
final class SetProof {
  private final ServerLane lane;
  private final ConnectionPool connections;
  private final InFlight inFlight;
  private final CompletableFuture<Boolean> proven = new CompletableFuture<>();

  // Guarded by this.
  private boolean firstLeft;
  private int othersLeft;
  private int asked;

  private SetProof(ServerLane lane, ConnectionPool connections, InFlight inFlight) {
    this.lane = lane;
    this.connections = connections;
    this.inFlight = inFlight;
  }

  /**
   * @param allocator of the frames to ask with
   */
  static CompletionStage<Boolean> of(
      ServerLane lane, ConnectionPool connections, InFlight inFlight, ByteBufAllocator allocator) {
    SetProof proof = new SetProof(lane, connections, inFlight);
    for (PlacedServer member : lane.members()) {
      if (isThere(proof.connection(member), member)) {
        proof.left(member);
      }
    }
    if (!proof.proven.isDone()) {
      proof.ask(allocator);
    }
    return proof.proven;
  }

  /** Asks all of them, also those that were there just now: that is over when the others answer. */
  private void ask(ByteBufAllocator allocator) {
    synchronized (this) {
      firstLeft = false;
      othersLeft = 0;
      asked = lane.members().size();
    }
    for (PlacedServer member : lane.members()) {
      ServerConnection connection = connection(member);
      connection.push(
          new PushFrame(allocator.directBuffer(1, 1), new Question(member, connection), 1));
    }
  }

  private ServerConnection connection(PlacedServer member) {
    return connections.get(member, lane.shuffle());
  }

  private static boolean isThere(ServerConnection connection, PlacedServer member) {
    return connection.isConnected() && connection.keeps(member.incarnation());
  }

  private void left(PlacedServer member) {
    boolean enough;
    synchronized (this) {
      if (member.equals(lane.server())) {
        firstLeft = true;
      } else {
        othersLeft++;
      }
      enough =
          Survivors.suffice(
              lane.majorityEnough(), lane.members().size() - 1, firstLeft, othersLeft);
    }
    if (enough) {
      proven.complete(true);
    }
  }

  private void answered(PlacedServer member, boolean holds) {
    if (holds) {
      left(member);
    }
    boolean last;
    synchronized (this) {
      last = --asked == 0;
    }
    if (last) {
      proven.complete(false);
    }
  }

  /** An empty frame for one member. */
  private final class Question implements PushOwner {
    private final PlacedServer member;
    private final ServerConnection connection;
    // The event loop's.
    private boolean failed;

    Question(PlacedServer member, ServerConnection connection) {
      this.member = member;
      this.connection = connection;
    }

    @Override
    public ShuffleKey shuffle() {
      return lane.shuffle();
    }

    @Override
    public PlacedServer server() {
      return member;
    }

    @Override
    public List<ReplicaMember> others() {
      return List.of();
    }

    @Override
    public boolean abandoned() {
      return inFlight.abandoned() || proven.isDone();
    }

    @Override
    public boolean mayMove(ErrorCode why) {
      return false;
    }

    @Override
    public void returned(PushFrame frame, SluiceException why, List<FailedReplica> members) {
      throw new IllegalStateException("it may not move");
    }

    @Override
    public boolean hasAcked() {
      return false;
    }

    @Override
    public void acked() {}

    @Override
    public void resending(long bytes) {}

    @Override
    public void released(long bytes) {
      if (!failed) {
        answered(member, isThere(connection, member));
      }
    }

    @Override
    public void failed(SluiceException cause) {
      if (!failed) {
        failed = true;
        answered(member, false);
      }
    }
  }
}
