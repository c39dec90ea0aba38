package io.sluice.client.connection;

import io.sluice.client.PlacedServer;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ReplicaMember;
import java.util.List;

/**
 * Who pushed a frame: one map output's dealings with one server. Told of its frames' fate on the
 * connection's event loop; must not block.
 */
public interface PushOwner {
  ShuffleKey shuffle();

  /** The server and its incarnation, as the owner's placement names them. */
  PlacedServer server();

  /** The other members of the replica set, to whom the server sends the blocks on. */
  List<ReplicaMember> others();

  /** True once nobody waits for the frames any more; they are then dropped unsent. Any thread. */
  boolean abandoned();

  /** Whether a server that does not take frames, for such a reason, hands them back. Any thread. */
  boolean mayMove(ErrorCode why);

  /**
   * The server does not take the unanswered blocks of a frame. The frame is the owner's again: it
   * is pushed once more, or {@link PushFrame#release released} when its blocks went elsewhere.
   *
   * @param why with a code that makes sense to whoever places partitions
   * @param failed with REPLICA_FAILED, the other members that did not take them
   */
  void returned(PushFrame frame, SluiceException why, List<FailedReplica> failed);

  /**
   * The server takes blocks, but coordinators do not hear it and may have given it up, and with it
   * what is sent there.
   */
  default void unheard() {}

  /** Whether the server has acknowledged any block of this owner. */
  boolean hasAcked();

  /** Some blocks are stored. */
  void acked();

  /**
   * A refused block is sent again in a frame of its own; {@link #released} will be called for it
   * too.
   */
  void resending(long bytes);

  /**
   * A frame needs no memory any more: all its blocks are answered, or it was dropped.
   *
   * @param bytes what {@link PushFrame#capacity()} was
   */
  void released(long bytes);

  /** A block is lost for good; the owner is abandoned from here on. */
  void failed(SluiceException cause);
}
