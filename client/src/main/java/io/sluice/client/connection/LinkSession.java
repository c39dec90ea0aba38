package io.sluice.client.connection;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to connect and the link that may come of it: what the server says there, and what
 * holds for as long as the link does. On the event loop only.
 */
final class LinkSession implements ClientSession {
  private final ServerConnection connection;
  private final PushPipe pushes;
  private final StreamTable streams;
  private final PushTimers timers;
  private final Reconnect reconnect;

  private @Nullable ClientLink link;
  private boolean leaving;
  private boolean left;
  // Pushes were given up while the link still ends: what the server says of them is old news.
  private boolean ignoresAnswers;

  LinkSession(
      ServerConnection connection,
      PushPipe pushes,
      StreamTable streams,
      PushTimers timers,
      Reconnect reconnect) {
    this.connection = connection;
    this.pushes = pushes;
    this.streams = streams;
    this.timers = timers;
    this.reconnect = reconnect;
  }

  // -------------------------------------------------------------------- what the connection asks

  /** The link, while it stands. */
  @Nullable ClientLink link() {
    return link;
  }

  /** Sends what can be sent; or leaves, once the server has answered, if it is going away. */
  void pump() {
    ClientLink current = link;
    if (current == null) {
      return;
    }
    if (!leaving) {
      streams.pump(current);
      pushes.pump(current);
      current.flush();
      return;
    }
    pushes.handBackPending(ErrorCode.SHUTTING_DOWN, "is about to stop");
    if (!left && !pushes.hasUnanswered() && !streams.hasOpen()) {
      left = true;
      current.close();
    }
  }

  /** Pushes are being given up: hears nothing more of them. */
  void ignoreAnswers() {
    ignoresAnswers = true;
  }

  void close() {
    ClientLink current = link;
    if (current != null) {
      current.close();
    }
  }

  void abort(SluiceException cause) {
    ClientLink current = link;
    if (current != null) {
      current.abort(cause);
    }
  }

  // ----------------------------------------------------------------------- what the server says

  @Override
  public void connected(
      ClientLink newLink, ServerIdentity identity, long seedCredit, int maxBlockBytes) {
    if (connection.isClosed()) {
      newLink.close();
      return;
    }
    if (!identity.id().equals(connection.server().id())) {
      newLink.abort(
          new SluiceException(
              ErrorCode.WRONG_SERVER,
              "meant " + connection.server() + ", found server " + identity));
      return;
    }
    link = newLink;
    connection.established(this, identity);
    pushes.connected(seedCredit, identity, maxBlockBytes);
    timers.progress();
    connection.pump();
  }

  @Override
  public void acked(long first, int count, long refund) {
    if (ignoresAnswers) {
      return;
    }
    progress();
    try {
      pushes.acked(first, count, refund);
    } catch (SluiceException violation) {
      abort(violation);
    }
  }

  @Override
  public void nacked(long first, int count, long refund, ErrorCode code) {
    if (ignoresAnswers) {
      return;
    }
    progress();
    try {
      pushes.nacked(first, count, refund, code);
    } catch (SluiceException violation) {
      abort(violation);
    }
  }

  @Override
  public void replicasFailed(List<FailedReplica> failed) {
    pushes.replicasFailed(failed);
  }

  @Override
  public void explained(ErrorCode code, String why) {
    pushes.explained(code, why);
  }

  /** The server answered for blocks: it works. */
  private void progress() {
    timers.progress();
    reconnect.worked();
  }

  @Override
  public void granted(long bytes) {
    // Not a sign that blocks get through: a server may grant, then break at the first block.
    timers.progress();
    pushes.granted(bytes);
  }

  @Override
  public void wantRefused(ErrorCode code) {
    pushes.wantRefused(code, leaving);
  }

  @Override
  public void reclaimed(long bytes) {
    ClientLink current = link;
    if (current != null) {
      pushes.giveUpCredit(bytes, current);
    }
  }

  @Override
  public void data(int stream, int partition, ByteBuffer bytes, int offset, int length) {
    ClientLink current = link;
    if (current != null) {
      reconnect.worked();
      streams.data(stream, partition, bytes, offset, length, current);
    }
  }

  @Override
  public void streamEnded(int stream, long blocks, long bytes) {
    reconnect.worked();
    streams.ended(stream, blocks);
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    reconnect.worked();
    streams.failed(stream, code, message);
  }

  @Override
  public void goingAway() {
    leaving = true;
    reconnect.leaving();
  }

  @Override
  public void writable() {
    connection.pump();
  }

  @Override
  public void readComplete() {
    timers.heard();
    streams.readComplete();
    connection.pump();
  }

  @Override
  public void closed(SluiceException cause) {
    boolean wasConnected = link != null;
    link = null;
    connection.lost(wasConnected, cause);
  }
}
