package io.sluice.server.replication;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One attempt to connect to a peer, and the link that may come of it. On its event loop. */
final class PeerSession implements ClientSession {
  private final PeerLink peer;
  private final ShipmentQueue queue;
  private final long since;
  private @Nullable ClientLink link;
  private boolean wasConnected;
  private boolean leaving;

  /**
   * @param since when the attempt began
   */
  PeerSession(PeerLink peer, ShipmentQueue queue, long since) {
    this.peer = peer;
    this.queue = queue;
    this.since = since;
  }

  long since() {
    return since;
  }

  /** Whether there ever was a link. */
  boolean wasConnected() {
    return wasConnected;
  }

  /** Sends what can be sent; or leaves, once the member has answered, if it is going away. */
  void pump() {
    ClientLink current = link;
    if (current == null || !isCurrent()) {
      return;
    }
    if (leaving) {
      queue.failPending(ErrorCode.SHUTTING_DOWN);
      if (!queue.hasUnanswered()) {
        current.close();
      }
      return;
    }
    queue.pump(current);
    current.flush();
  }

  void end() {
    ClientLink current = link;
    if (current != null) {
      leaving = true;
      current.close();
    }
  }

  void abort(SluiceException cause) {
    ClientLink current = link;
    if (current != null) {
      current.abort(cause);
    }
  }

  void giveUpCredit(long upTo) {
    ClientLink current = link;
    if (current != null) {
      queue.giveUpCredit(upTo, current);
      current.flush();
    }
  }

  private boolean isCurrent() {
    return peer.isCurrent(this);
  }

  @Override
  public void connected(
      ClientLink newLink, ServerIdentity server, long seedCredit, int maxBlockBytes) {
    if (!isCurrent() || peer.isClosed()) {
      newLink.close();
      return;
    }
    link = newLink;
    wasConnected = true;
    queue.connected(seedCredit);
    peer.progress();
    peer.pump();
  }

  @Override
  public void acked(long first, int count, long refund) {
    answered(first, count, refund, null);
  }

  @Override
  public void nacked(long first, int count, long refund, ErrorCode code) {
    answered(first, count, refund, code);
  }

  private void answered(long first, int count, long refund, @Nullable ErrorCode refusal) {
    if (!isCurrent()) {
      return;
    }
    peer.works();
    try {
      queue.answered(first, count, refund, refusal);
    } catch (SluiceException violation) {
      abort(violation);
    }
  }

  @Override
  public void granted(long bytes) {
    if (isCurrent()) {
      queue.granted(bytes);
    }
  }

  @Override
  public void wantRefused(ErrorCode code) {
    if (isCurrent()) {
      queue.wantRefused(code);
    }
  }

  @Override
  public void reclaimed(long bytes) {
    if (isCurrent()) {
      giveUpCredit(bytes);
    }
  }

  @Override
  public void data(int stream, int partition, ByteBuffer bytes, int offset, int length) {
    throw new IllegalStateException("nothing was asked for");
  }

  @Override
  public void streamEnded(int stream, long blocks, long bytes) {
    throw new IllegalStateException("nothing was asked for");
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    throw new IllegalStateException("nothing was asked for");
  }

  @Override
  public void goingAway() {
    leaving = true;
  }

  @Override
  public void writable() {
    peer.pump();
  }

  @Override
  public void readComplete() {
    peer.pump();
  }

  @Override
  public void closed(SluiceException cause) {
    link = null;
    peer.lost(this, cause);
  }
}
