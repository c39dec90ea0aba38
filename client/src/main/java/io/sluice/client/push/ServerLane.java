package io.sluice.client.push;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.connection.PushFrame;
import io.sluice.client.connection.PushOwner;
import io.sluice.client.connection.ServerConnection;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ReplicaMember;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one map output has to do with one replica set: the frame being filled for its first member,
 * which sends the blocks on to the others, and what was stored.
 */
final class ServerLane implements PushOwner {
  private final ShufflePlacement placement;
  private final Placements placements;
  private final List<PlacedServer> members;
  private final List<ReplicaMember> others;
  private final ServerConnection connection;
  private final InFlight inFlight;
  private volatile boolean acked;
  private volatile boolean majorityEnough;
  // Whether the connection waits for the server, where no other can take the blocks.
  private volatile boolean waiting;
  private volatile boolean ackedSince;

  // The task's thread's.
  private @Nullable PushFrame open;
  private int returnsInVain;
  private long inVainSince;

  /**
   * @param placement that names the set
   * @param placements where newer ones are, if what the server does not take can go elsewhere
   * @param members of the set, the one to push to first
   * @param connection to the first member
   */
  ServerLane(
      ShufflePlacement placement,
      Placements placements,
      List<PlacedServer> members,
      ServerConnection connection,
      InFlight inFlight) {
    this.placement = placement;
    this.placements = placements;
    this.members = members;
    this.others = members.stream().skip(1).map(PlacedServer::asMember).collect(Collectors.toList());
    this.connection = connection;
    this.inFlight = inFlight;
  }

  // ------------------------------------------------------------------------- the task's thread

  @Nullable PushFrame open() {
    return open;
  }

  void open(PushFrame frame) {
    open = frame;
  }

  /** Lets the open frame go; an empty one is freed. */
  void send() {
    PushFrame frame = open;
    open = null;
    if (frame == null) {
      return;
    }
    if (frame.blocks() == 0) {
      frame.discard();
    } else {
      inFlight.add(frame.capacity());
      connection.push(frame);
    }
  }

  /** Takes the open frame away, if there is one. */
  @Nullable PushFrame takeOpen() {
    PushFrame frame = open;
    open = null;
    return frame;
  }

  /**
   * There is no other server: sends to this one again what it did not take.
   *
   * @param wait whether it waits for a server that is away until the deadlines, and is not handed
   *     back for that again before anything is acknowledged
   */
  void pushAgain(PushFrame frame, boolean wait) {
    if (wait) {
      waiting = true;
    }
    frame.rewind();
    connection.push(frame);
  }

  /**
   * Counts that blocks came back for want of room, or because of another member, and that nobody
   * can replace who is to blame.
   *
   * @return how often in a row, with nothing acknowledged in between
   */
  int cameBackInVain(long now) {
    if (ackedSince || returnsInVain == 0) {
      returnsInVain = 0;
      inVainSince = now;
      ackedSince = false;
    }
    return ++returnsInVain;
  }

  /** When blocks came back in vain first, with nothing acknowledged since. */
  long inVainSince() {
    return inVainSince;
  }

  /** Whether blocks have come back in vain for so long, with nothing acknowledged since. */
  boolean cameBackInVainFor(long nanos, long now) {
    return returnsInVain > 0 && !ackedSince && now - inVainSince >= nanos;
  }

  /** Completes after a time, on the event loop. */
  CompletionStage<Void> after(long nanos) {
    CompletableFuture<Void> over = new CompletableFuture<>();
    try {
      connection.loop().schedule(nanos, () -> over.complete(null));
    } catch (RejectedExecutionException closed) {
      over.complete(null); // the client is closed, which whatever comes next will find
    }
    return over;
  }

  /** Frees the open frame and whatever the connection has not sent yet. */
  void abandon() {
    PushFrame frame = open;
    open = null;
    if (frame != null) {
      frame.discard();
    }
    connection.dropAbandoned();
  }

  /**
   * Makes sure that the server still is who stored the blocks: where the connection has ended
   * since, it takes a new one to know.
   *
   * @param probe an empty frame to ask with
   */
  void probe(PushFrame probe) {
    inFlight.add(probe.capacity());
    connection.push(probe);
  }

  /** Whether blocks were stored and the connection does not stand any more. */
  boolean needsProbe() {
    return acked && !connection.isConnected();
  }

  /** Whether the server has since come back without what it had acknowledged. */
  boolean hasLostBlocks() {
    return acked && !connection.keeps(server().incarnation());
  }

  /** Whether other servers hold what this one acknowledged. */
  boolean isReplicated() {
    return !others.isEmpty();
  }

  /** Whether anything was stored by the set. */
  boolean hasStored() {
    return acked;
  }

  /** Whether something was acknowledged that only a majority of the set need hold. */
  boolean majorityEnough() {
    return majorityEnough;
  }

  /** All servers of the set. */
  List<PlacedServer> members() {
    return members;
  }

  // ------------------------------------------------------------------------------- event loops

  @Override
  public ShuffleKey shuffle() {
    return placement.shuffle();
  }

  @Override
  public PlacedServer server() {
    return members.get(0);
  }

  @Override
  public List<ReplicaMember> others() {
    return others;
  }

  @Override
  public boolean abandoned() {
    return inFlight.abandoned();
  }

  @Override
  public boolean mayMove(ErrorCode why) {
    return placements.canChange() && !(waiting && Outlook.of(why) == Outlook.AWAY);
  }

  @Override
  public void returned(PushFrame frame, SluiceException why, List<FailedReplica> failed) {
    inFlight.giveBack(new ReturnedFrame(frame, this, why, failed));
  }

  /** Nobody waits for the answer: the thread looks what is newest when it opens a frame. */
  @Override
  public void unheard() {
    placements.look(placement);
  }

  /** With replicas nothing is lost if this server has lost it. */
  @Override
  public boolean hasAcked() {
    return acked && others.isEmpty();
  }

  @Override
  public void acked() {
    if (!majorityEnough && isReplicated() && connection.majorityEnough()) {
      majorityEnough = true;
    }
    if (!acked) {
      acked = true;
    }
    if (!ackedSince) {
      ackedSince = true;
    }
    if (waiting) {
      waiting = false;
    }
    inFlight.acked();
  }

  @Override
  public void resending(long bytes) {
    inFlight.add(bytes);
  }

  @Override
  public void released(long bytes) {
    inFlight.subtract(bytes);
  }

  @Override
  public void failed(SluiceException cause) {
    inFlight.fail(cause);
  }
}
