package io.sluice.transport.session;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.transport.ClientSession;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.frame.AckRanges;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.Hello;
import io.sluice.transport.frame.ReplicaFrames;
import io.sluice.transport.frame.Welcome;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The client's side of a connection: checks what a server says and hands it to the session. */
public final class ClientProtocol extends Protocol {
  private final ClientSettings settings;
  private final @Nullable ServerId expectedServer;
  private final ClientSession session;
  private final ClientWriter writer;
  private final ClientAuthenticator.Exchange authentication;
  private @Nullable Hello hello;
  private int dataStream;
  private int dataPartition;
  private ClientWriter.@Nullable Stream dataTarget;

  /**
   * @param expectedServer the server meant, or null for whichever answers
   */
  public ClientProtocol(
      ClientSettings settings,
      @Nullable ServerId expectedServer,
      ClientSession session,
      Output output) {
    super(output, settings.timeouts(), TransportLimits.MAX_PUSH_BYTES);
    this.settings = settings;
    this.expectedServer = expectedServer;
    this.session = session;
    this.authentication = settings.authenticator().begin();
    this.writer =
        new ClientWriter(
            outbox,
            new ClientWriter.Closer() {
              @Override
              public void close() {
                leave();
              }

              @Override
              public void abort(SluiceException cause) {
                fail(cause);
              }
            });
  }

  @Override
  public void start(long now) {
    super.start(now);
    Hello said =
        new Hello(
                MIN_VERSION,
                MAX_VERSION,
                settings.process(),
                expectedServer,
                settings.authenticator().scheme(),
                authentication.principal())
            .from(settings.server());
    hello = said;
    Frames.magic(outbox.small());
    said.encode(outbox.small());
    outbox.flush();
  }

  /** Orderly close: sends what was given, says so, and waits for the server to end. */
  private void leave() {
    if (phase() != Phase.OPEN) {
      if (phase() == Phase.HANDSHAKE) {
        abandon(new SluiceException(ErrorCode.CANCELLED, "closed during the handshake"));
      }
      return;
    }
    leaving();
    outbox.drain();
    Frames.empty(outbox.small(), FrameType.GOAWAY, 0, 0);
    outbox.flushAndShut();
  }

  /** What waits for a server is the client's own; and a server that lives reads all the time. */
  @Override
  boolean endsWhoTakesNothing() {
    return false;
  }

  @Override
  boolean inHandshake(FrameType type) {
    return type == FrameType.CHALLENGE || type == FrameType.WELCOME;
  }

  @Override
  boolean inOpen(FrameType type) {
    return type.sentByServer() && !inHandshake(type);
  }

  @Override
  void bulkBegin(int stream, int partition, int length) {
    dataStream = stream;
    dataPartition = partition;
    ClientWriter.Stream target = streamOf(FrameType.DATA, stream);
    dataTarget = target;
    if (target == null) {
      return;
    }
    target.credit -= length;
    target.received += length;
    if (target.credit < 0) {
      throw new SluiceException(
          ErrorCode.CREDIT_EXCEEDED, "stream " + stream + " by " + -target.credit + " bytes");
    }
  }

  @Override
  public void bulkPart(ByteBuffer bytes, int offset, int length) {
    if (dataTarget != null && dataTarget.open) {
      session.data(dataStream, dataPartition, bytes, offset, length);
    }
  }

  @Override
  public void bulkEnd() {
    dataTarget = null;
  }

  /** The stream, or null if it has ended or was cancelled. */
  private ClientWriter.@Nullable Stream streamOf(FrameType type, int stream) {
    if (stream > writer.lastStream()) {
      throw unexpected(type, "stream " + stream + " was never asked for");
    }
    return writer.stream(stream);
  }

  @Override
  void frame(FrameType type, int subject, int argument, ByteBuffer bytes, int offset, int length) {
    switch (type) {
      case CHALLENGE:
        challenged(Frames.bytes(bytes, offset, length));
        break;
      case WELCOME:
        welcome(Welcome.decode(argument, bytes, offset, length));
        break;
      case ACK:
      case NACK:
        answered(type, argument, bytes, offset, length);
        break;
      case GRANT:
        session.granted(Frames.credit(type, bytes, offset));
        break;
      case WANT_REFUSED:
        session.wantRefused(ErrorCode.ofNumber(argument));
        break;
      case EXPLAIN:
        session.explained(ErrorCode.ofNumber(argument), Frames.text(bytes, offset, length));
        break;
      case REPLICAS_FAILED:
        session.replicasFailed(ReplicaFrames.failed(bytes, offset, length));
        break;
      case RECLAIM:
        session.reclaimed(Frames.credit(type, bytes, offset));
        break;
      case STREAM_END:
        streamEnd(subject, bytes.getLong(offset), bytes.getLong(offset + 8));
        break;
      case STREAM_FAILED:
        if (streamOf(type, subject) != null) {
          writer.streamEnded(subject);
          session.streamFailed(
              subject, ErrorCode.ofNumber(argument), Frames.text(bytes, offset, length));
        }
        break;
      default:
        throw new AssertionError(type);
    }
  }

  private void challenged(byte[] challenge) {
    if (hello == null) {
      throw new IllegalStateException("not started");
    }
    byte[] response = authentication.respond(hello, challenge, outbox.output().binding());
    Frames.opaque(outbox.small(), FrameType.AUTHENTICATE, response);
  }

  private void welcome(Welcome welcome) {
    int version = welcome.version();
    if (version < MIN_VERSION || version > MAX_VERSION) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED_VERSION, "the server chose version " + version);
    }
    if (expectedServer != null && !expectedServer.equals(welcome.server().id())) {
      throw new SluiceException(
          ErrorCode.WRONG_SERVER, "meant " + expectedServer + ", met " + welcome.server());
    }
    authentication.confirm(welcome.proof());
    writer.agreed(version, welcome.maxHandles());
    opened(version);
    session.connected(writer, welcome.server(), welcome.seedCredit(), welcome.maxBlockBytes());
  }

  private void answered(FrameType type, int code, ByteBuffer bytes, int offset, int length) {
    int ranges = AckRanges.count(type, length);
    for (int i = 0; i < ranges; i++) {
      int at = offset + i * AckRanges.BYTES;
      AckRanges.check(type, bytes, at);
      long first = AckRanges.first(bytes, at);
      int blocks = AckRanges.blocks(bytes, at);
      if (first + blocks > writer.blocksSent()) {
        throw unexpected(type, "block " + (first + blocks - 1) + " was never sent");
      }
      if (type == FrameType.ACK) {
        session.acked(first, blocks, AckRanges.refund(bytes, at));
      } else {
        session.nacked(first, blocks, AckRanges.refund(bytes, at), ErrorCode.ofNumber(code));
      }
    }
  }

  private void streamEnd(int stream, long blocks, long bytes) {
    ClientWriter.Stream ended = streamOf(FrameType.STREAM_END, stream);
    if (ended == null) {
      return;
    }
    if (blocks < 0 || bytes != ended.received) {
      throw new SluiceException(
          ErrorCode.MALFORMED_FRAME,
          "stream " + stream + " ends at " + bytes + " bytes, received " + ended.received);
    }
    writer.streamEnded(stream);
    session.streamEnded(stream, blocks, bytes);
  }

  private static SluiceException unexpected(FrameType type, String what) {
    return new SluiceException(ErrorCode.UNEXPECTED_FRAME, type + ": " + what);
  }

  @Override
  void beforeFailure() {}

  @Override
  void peerGoesAway() {
    session.goingAway();
  }

  @Override
  void flush() {
    outbox.flush();
  }

  @Override
  void sessionReadComplete() {
    session.readComplete();
  }

  @Override
  void sessionWritable() {
    session.writable();
  }

  @Override
  void sessionClosed(SluiceException cause) {
    session.closed(cause);
  }
}
