package io.sluice.simulation.scenario;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSession;
import io.sluice.transport.ServerSessionFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

/** Stands between a server's core and one of its connections, and passes everything on. */
abstract class ForwardingServer implements ServerSession, ServerLink {
  private final ServerLink link;
  private final ServerSession session;

  /**
   * Accepts a connection.
   *
   * @param link to the peer
   */
  ForwardingServer(Accepting core, ServerLink link) {
    this.link = link;
    this.session = core.accept(this);
  }

  /** A core that accepts a connection. */
  interface Accepting {
    ServerSession accept(ServerLink link);
  }

  /**
   * A core with somebody in between.
   *
   * @param between made for each connection
   */
  static ServerSessionFactory over(
      ServerSessionFactory core, BiFunction<Accepting, ServerLink, ForwardingServer> between) {
    return (peer, link) -> {
      long[] seed = new long[1];
      ForwardingServer made =
          between.apply(
              own -> {
                ServerSessionFactory.Accepted accepted = core.accept(peer, own);
                seed[0] = accepted.seedCredit();
                return accepted.session();
              },
              link);
      return new ServerSessionFactory.Accepted(made, seed[0]);
    };
  }

  @Override
  public void block(int handle, long number, ByteBuffer bytes, int offset, boolean crcMatches) {
    session.block(handle, number, bytes, offset, crcMatches);
  }

  @Override
  public void blockBegin(int handle, long number, ByteBuffer header, int offset) {
    session.blockBegin(handle, number, header, offset);
  }

  @Override
  public void blockEnd(boolean crcMatches) {
    session.blockEnd(crcMatches);
  }

  @Override
  public void nack(long first, int count, long refund, ErrorCode code) {
    link.nack(first, count, refund, code);
  }

  @Override
  public void closed() {
    session.closed();
  }

  @Override
  public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    session.open(handle, shuffle, incarnation, others);
  }

  @Override
  public void release(int handle) {
    session.release(handle);
  }

  @Override
  public void blockPart(ByteBuffer bytes, int offset, int length) {
    session.blockPart(bytes, offset, length);
  }

  @Override
  public void want(long bytes) {
    session.want(bytes);
  }

  @Override
  public void creditReturned(long bytes) {
    session.creditReturned(bytes);
  }

  @Override
  public void fetch(FetchRequest request) {
    session.fetch(request);
  }

  @Override
  public void inventory(int stream, int handle, int firstMap) {
    session.inventory(stream, handle, firstMap);
  }

  @Override
  public void fetchCredit(int stream, long bytes) {
    session.fetchCredit(stream, bytes);
  }

  @Override
  public void damaged(int stream, DamagedBlock block) {
    session.damaged(stream, block);
  }

  @Override
  public void fetchCancel(int stream) {
    session.fetchCancel(stream);
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
  public String peer() {
    return link.peer();
  }

  @Override
  public Executor executor() {
    return link.executor();
  }

  @Override
  public void ack(long first, int count, long refund) {
    link.ack(first, count, refund);
  }

  @Override
  public void replicasFailed(List<FailedReplica> failed) {
    link.replicasFailed(failed);
  }

  @Override
  public void grant(long bytes) {
    link.grant(bytes);
  }

  @Override
  public void explain(ErrorCode code, String why) {
    link.explain(code, why);
  }

  @Override
  public void refuseWant(ErrorCode code) {
    link.refuseWant(code);
  }

  @Override
  public void reclaim(long bytes) {
    link.reclaim(bytes);
  }

  @Override
  public void data(int stream, int partition, OutgoingData data) {
    link.data(stream, partition, data);
  }

  @Override
  public void streamEnd(int stream, long blocks, long bytes) {
    link.streamEnd(stream, blocks, bytes);
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    link.streamFailed(stream, code, message);
  }

  @Override
  public boolean isWritable() {
    return link.isWritable();
  }

  @Override
  public void flush() {
    link.flush();
  }

  @Override
  public void close(ErrorCode code, String message) {
    link.close(code, message);
  }
}
