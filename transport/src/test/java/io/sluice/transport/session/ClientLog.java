package io.sluice.transport.session;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what it is told, the same in whatever pieces data came. */
final class ClientLog implements ClientSession {
  final List<String> events = new ArrayList<>();
  @Nullable ClientLink link;
  @Nullable SluiceException cause;
  int closed;

  private int stream = -1;
  private int partition = -1;
  private long length;
  private int hash;

  ClientLink link() {
    if (link == null) {
      throw new AssertionError("not connected: " + cause);
    }
    return link;
  }

  ErrorCode code() {
    if (cause == null) {
      throw new AssertionError("not closed");
    }
    return cause.code();
  }

  private void event(String event) {
    if (length > 0) {
      events.add("data " + stream + " " + partition + " " + length + " " + hash);
      length = 0;
      hash = 0;
    }
    events.add(event);
  }

  @Override
  public void connected(
      ClientLink connected, ServerIdentity server, long seedCredit, int maxBlockBytes) {
    link = connected;
    event("connected " + server + " " + seedCredit + " " + maxBlockBytes);
  }

  @Override
  public void acked(long first, int count, long refund) {
    event("acked " + first + " " + count + " " + refund);
  }

  @Override
  public void nacked(long first, int count, long refund, ErrorCode code) {
    event("nacked " + first + " " + count + " " + refund + " " + code);
  }

  @Override
  public void replicasFailed(List<FailedReplica> failed) {
    event("replicasFailed " + failed);
  }

  @Override
  public void explained(ErrorCode code, String why) {
    events.add("explained " + code + " " + why);
  }

  @Override
  public void granted(long bytes) {
    event("granted " + bytes);
  }

  @Override
  public void wantRefused(ErrorCode code) {
    event("wantRefused " + code);
  }

  @Override
  public void reclaimed(long bytes) {
    event("reclaimed " + bytes);
  }

  @Override
  public void data(int from, int of, ByteBuffer bytes, int offset, int count) {
    if (count < 1) {
      throw new AssertionError("empty piece");
    }
    if (from != stream || of != partition) {
      event("stream " + from + " partition " + of);
      stream = from;
      partition = of;
    }
    length += count;
    for (int i = 0; i < count; i++) {
      hash = 31 * hash + bytes.get(offset + i);
    }
  }

  @Override
  public void streamEnded(int ended, long blocks, long bytes) {
    event("ended " + ended + " " + blocks + " " + bytes);
  }

  @Override
  public void streamFailed(int failed, ErrorCode code, String message) {
    event("failed " + failed + " " + code + " " + message);
  }

  @Override
  public void goingAway() {
    event("goingAway");
  }

  @Override
  public void writable() {
    event("writable");
  }

  @Override
  public void readComplete() {}

  @Override
  public void closed(SluiceException closedBy) {
    closed++;
    cause = closedBy;
  }
}
