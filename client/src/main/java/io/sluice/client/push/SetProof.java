package io.sluice.client.push;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.PlacedServer;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.connection.PushFrame;
import io.sluice.client.connection.PushOwner;
import io.sluice.client.connection.ServerConnection;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ReplicaMember;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether some member of a replica set still has what it stored. A connection that stands proves
 * it; without one all members are asked at once, and the first that answers is enough. Only if none
 * does, the answer takes as long as a server may be away.
 */
final class SetProof {
  private final ShuffleKey shuffle;
  private final InFlight inFlight;
  private final AtomicInteger asked;
  private final CompletableFuture<Boolean> proven = new CompletableFuture<>();

  private SetProof(ShuffleKey shuffle, InFlight inFlight, int members) {
    this.shuffle = shuffle;
    this.inFlight = inFlight;
    this.asked = new AtomicInteger(members);
  }

  /**
   * @param allocator of the frames to ask with
   */
  static CompletionStage<Boolean> of(
      ServerLane lane, ConnectionPool connections, InFlight inFlight, ByteBufAllocator allocator) {
    SetProof proof = new SetProof(lane.shuffle(), inFlight, lane.members().size());
    for (PlacedServer member : lane.members()) {
      ServerConnection connection = connections.get(member, lane.shuffle());
      if (connection.isConnected() && connection.keeps(member.incarnation())) {
        proof.proven.complete(true);
        return proof.proven;
      }
    }
    for (PlacedServer member : lane.members()) {
      ServerConnection connection = connections.get(member, lane.shuffle());
      connection.push(
          new PushFrame(allocator.directBuffer(1, 1), proof.new Question(member, connection), 1));
    }
    return proof.proven;
  }

  private void answered(boolean holds) {
    if (holds) {
      proven.complete(true);
    } else if (asked.decrementAndGet() == 0) {
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
      return shuffle;
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
    public boolean mayMove() {
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
        answered(connection.isConnected() && connection.keeps(member.incarnation()));
      }
    }

    @Override
    public void failed(SluiceException cause) {
      if (!failed) {
        failed = true;
        answered(false);
      }
    }
  }
}
