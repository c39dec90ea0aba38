package io.sluice.simulation.scenario;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import java.util.List;

/** A client session in front of another one. */
class ForwardingSession implements ClientSession {
  private final ClientSession session;

  ForwardingSession(ClientSession session) {
    this.session = session;
  }

  @Override
  public void connected(
      ClientLink link, ServerIdentity server, long seedCredit, int maxBlockBytes) {
    session.connected(link, server, seedCredit, maxBlockBytes);
  }

  @Override
  public void acked(long first, int count, long refund) {
    session.acked(first, count, refund);
  }

  @Override
  public void nacked(long first, int count, long refund, ErrorCode code) {
    session.nacked(first, count, refund, code);
  }

  @Override
  public void explained(ErrorCode code, String why) {
    session.explained(code, why);
  }

  @Override
  public void replicasFailed(List<FailedReplica> failed) {
    session.replicasFailed(failed);
  }

  @Override
  public void granted(long bytes) {
    session.granted(bytes);
  }

  @Override
  public void wantRefused(ErrorCode code) {
    session.wantRefused(code);
  }

  @Override
  public void reclaimed(long bytes) {
    session.reclaimed(bytes);
  }

  @Override
  public void data(int stream, int partition, ByteBuffer bytes, int offset, int length) {
    session.data(stream, partition, bytes, offset, length);
  }

  @Override
  public void streamEnded(int stream, long blocks, long bytes) {
    session.streamEnded(stream, blocks, bytes);
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    session.streamFailed(stream, code, message);
  }

  @Override
  public void goingAway() {
    session.goingAway();
  }

  @Override
  public void writable() {
    session.writable();
  }

  @Override
  public void readComplete() {
    session.readComplete();
  }

  @Override
  public void closed(SluiceException cause) {
    session.closed(cause);
  }
}
