package io.sluice.client.push;

import io.sluice.client.PlacedServer;
import io.sluice.client.connection.PushFrame;
import io.sluice.client.connection.PushOwner;
import io.sluice.client.connection.ServerConnection;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import org.jspecify.annotations.Nullable;

/** What one map output has to do with one server: the frame being filled, and what was stored. */
final class ServerLane implements PushOwner {
  private final ShuffleKey shuffle;
  private final PlacedServer server;
  private final ServerConnection connection;
  private final InFlight inFlight;
  private volatile boolean acked;

  // The task's thread's.
  private @Nullable PushFrame open;

  ServerLane(
      ShuffleKey shuffle, PlacedServer server, ServerConnection connection, InFlight inFlight) {
    this.shuffle = shuffle;
    this.server = server;
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
    return acked && !connection.keeps(server.incarnation());
  }

  // ------------------------------------------------------------------------------- event loops

  @Override
  public ShuffleKey shuffle() {
    return shuffle;
  }

  @Override
  public PlacedServer server() {
    return server;
  }

  @Override
  public boolean abandoned() {
    return inFlight.abandoned();
  }

  @Override
  public boolean hasAcked() {
    return acked;
  }

  @Override
  public void acked() {
    if (!acked) {
      acked = true;
    }
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
