package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ServerLink;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.ReplicaFrames;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * A server's link: encodes its calls, batches answers about blocks, knows which streams are open.
 */
final class ServerWriter implements ServerLink {
  private static final Object OPEN = new Object();

  private final Outbox outbox;
  private final Consumer<SluiceException> closer;
  private final AckBatch acks = new AckBatch(FrameType.ACK);
  private final AckBatch nacks = new AckBatch(FrameType.NACK);
  private final IntObjectHashMap<Object> streams = new IntObjectHashMap<>();
  private int version;

  /**
   * @param closer ends the connection with an ERROR frame; called on the event loop
   */
  ServerWriter(Outbox outbox, Consumer<SluiceException> closer) {
    this.outbox = outbox;
    this.closer = closer;
  }

  /** What WELCOME says. */
  void agreed(int agreedVersion) {
    version = agreedVersion;
  }

  int openStreams() {
    return streams.size();
  }

  void streamOpened(int stream) {
    streams.put(stream, OPEN);
  }

  boolean isOpen(int stream) {
    return streams.containsKey(stream);
  }

  /** Forgets a stream and what waits for it; false if it was not open. */
  boolean streamCancelled(int stream) {
    if (streams.remove(stream) == null) {
      return false;
    }
    outbox.drop(stream);
    return true;
  }

  @Override
  public String peer() {
    return outbox.output().peer();
  }

  @Override
  public Executor executor() {
    return outbox.output().executor();
  }

  @Override
  public void ack(long first, int count, long refund) {
    if (acks.isFull()) {
      write(acks);
    }
    acks.add(first, count, refund);
  }

  @Override
  public void nack(long first, int count, long refund, ErrorCode code) {
    if (nacks.code() != code.number() || nacks.isFull()) {
      write(nacks);
      nacks.code(code.number());
    }
    nacks.add(first, count, refund);
  }

  @Override
  public void explain(ErrorCode code, String why) {
    if (outbox.isOpen() && FrameType.EXPLAIN.since() <= version) {
      Frames.failure(outbox.small(), FrameType.EXPLAIN, 0, code, why);
    }
  }

  @Override
  public void replicasFailed(List<FailedReplica> failed) {
    // What was refused before is somebody else's fault.
    write(nacks);
    if (outbox.isOpen() && FrameType.REPLICAS_FAILED.since() <= version) {
      ReplicaFrames.failed(outbox.small(), failed);
    }
  }

  private void write(AckBatch answers) {
    if (outbox.isOpen() && !answers.isEmpty()) {
      answers.write(outbox.small());
    } else {
      answers.clear();
    }
  }

  @Override
  public void grant(long bytes) {
    number(FrameType.GRANT, bytes);
  }

  @Override
  public void refuseWant(ErrorCode code) {
    if (outbox.isOpen()) {
      Frames.empty(outbox.small(), FrameType.WANT_REFUSED, 0, code.number());
    }
  }

  @Override
  public void reclaim(long bytes) {
    number(FrameType.RECLAIM, bytes);
  }

  private void number(FrameType type, long value) {
    if (outbox.isOpen()) {
      Frames.number(outbox.small(), type, 0, value);
    }
  }

  @Override
  public void data(int stream, int partition, OutgoingData data) {
    int length = data.length();
    if (length < 1 || length > TransportLimits.MAX_DATA_BYTES) {
      data.close();
      throw new IllegalArgumentException("data of " + length + " bytes");
    }
    if (!streams.containsKey(stream)) {
      data.close();
      return;
    }
    outbox.bulk(SendQueue.Entry.data(stream, partition, data));
  }

  @Override
  public void streamEnd(int stream, long blocks, long bytes) {
    if (streams.remove(stream) != null && outbox.isOpen()) {
      ByteBuf frame = outbox.ordered(stream, Frames.STREAM_END_LENGTH);
      Frames.streamEnd(frame, stream, blocks, bytes);
    }
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    if (streams.remove(stream) != null && outbox.isOpen()) {
      ByteBuf frame = outbox.ordered(stream, Frames.MAX_FAILURE_LENGTH);
      Frames.failure(frame, FrameType.STREAM_FAILED, stream, code, message);
    }
  }

  @Override
  public boolean isWritable() {
    return outbox.isWritable();
  }

  @Override
  public void flush() {
    write(acks);
    write(nacks);
    outbox.flush();
  }

  @Override
  public void close(ErrorCode code, String message) {
    executor().execute(() -> closer.accept(new SluiceException(code, message)));
  }
}
