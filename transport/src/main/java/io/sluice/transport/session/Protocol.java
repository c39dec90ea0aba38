package io.sluice.transport.session;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.OwnErrors;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One side of one connection, as its driver sees it. The driver calls on one thread: {@link #start}
 * once, then the others as things happen, and {@link #disconnected} last.
 *
 * <p>A connection is in one of four phases. HANDSHAKE until WELCOME, then OPEN. LEAVING is a client
 * that has said GOAWAY and still listens. ENDED means that the session has been told; the output
 * may linger to get an ERROR across, and what still arrives is ignored. Every way out goes through
 * {@link #end}, which runs once.
 */
public abstract class Protocol implements FrameReader.Sink, Outbox.Owner {
  /** The lowest and the highest version spoken. */
  static final int MIN_VERSION = 1;

  static final int MAX_VERSION = 4;

  enum Phase {
    HANDSHAKE,
    OPEN,
    LEAVING,
    ENDED
  }

  private static final Logger log = LoggerFactory.getLogger(Protocol.class);

  final Outbox outbox;
  private final FrameReader reader;
  private final Liveness liveness;
  private Phase phase = Phase.HANDSHAKE;
  private int version = MIN_VERSION;
  private boolean receiving;
  private @Nullable SluiceException endAfterReceive;

  Protocol(Output output, ConnectionTimeouts timeouts, int bulkBytes) {
    this.outbox = new Outbox(output, this, bulkBytes);
    this.reader = new FrameReader(this, output.alloc());
    this.liveness = new Liveness(timeouts);
  }

  /**
   * The connection exists.
   *
   * @param now from a monotonic clock, in nanoseconds
   */
  public void start(long now) {
    liveness.start(now);
  }

  /** Bytes have arrived: {@code length} of them at {@code offset}; read during the call only. */
  public final void receive(ByteBuffer bytes, int offset, int length) {
    if (phase == Phase.ENDED) {
      return;
    }
    liveness.heard();
    receiving = true;
    try {
      reader.receive(bytes, offset, length);
    } catch (SluiceException violation) {
      fail(violation);
    } catch (RuntimeException bug) {
      failOnBug(bug);
    } finally {
      receiving = false;
      if (endAfterReceive != null) {
        end(endAfterReceive);
      }
    }
  }

  /** All bytes that were there have been handed in. */
  public final void readComplete() {
    if (phase == Phase.ENDED) {
      return;
    }
    try {
      if (phase != Phase.HANDSHAKE) {
        sessionReadComplete();
      }
      flush();
    } catch (SluiceException violation) {
      fail(violation);
    } catch (RuntimeException bug) {
      failOnBug(bug);
    }
  }

  /** The output's {@link Output#isWritable} has changed. */
  public final void writabilityChanged() {
    outbox.flush();
  }

  /**
   * Time has passed; to be called every {@link ConnectionTimeouts#tickNanos} until disconnected.
   */
  public final void tick(long now) {
    switch (phase) {
      case ENDED:
        if (liveness.closingTooLong(now)) {
          outbox.output().abort();
        }
        return;
      case LEAVING:
        if (liveness.closingTooLong(now)) {
          abandon(new SluiceException(ErrorCode.TIMED_OUT, peer() + " did not end the connection"));
          return;
        }
        break;
      case HANDSHAKE:
      case OPEN:
        break;
    }
    Liveness.Verdict verdict =
        liveness.check(now, phase != Phase.HANDSHAKE, reader.isMidFrame(), reader.framesEnded());
    switch (verdict) {
      case FINE:
        checkTaking(now);
        return;
      case PING:
        ping(now);
        checkTaking(now);
        return;
      case SILENT:
        abandon(new SluiceException(ErrorCode.TIMED_OUT, peer() + " is silent"));
        return;
      case HANDSHAKE_LATE:
        fail(handshakeLate());
        return;
      case FRAME_LATE:
        fail(new SluiceException(ErrorCode.TIMED_OUT, "a frame was begun and not finished"));
        return;
    }
  }

  private void checkTaking(long now) {
    Output output = outbox.output();
    if (phase != Phase.HANDSHAKE
        && endsWhoTakesNothing()
        && liveness.takesNothing(now, output.pendingBytes(), output.progress())) {
      abandon(
          new SluiceException(
              ErrorCode.PEER_NOT_READING, peer() + " takes nothing of what is sent to it"));
    }
  }

  private void ping(long value) {
    if (outbox.isOpen()) {
      Frames.number(outbox.small(), FrameType.PING, 0, value);
      outbox.flush();
    }
  }

  /** The connection is gone; safe to call more than once. */
  public final void disconnected(@Nullable Throwable cause) {
    String why = cause == null ? "connection ended" : "connection lost: " + cause.getMessage();
    Throwable kept = OwnErrors.kept(cause, peer());
    SluiceException lost =
        new SluiceException(
            phase == Phase.HANDSHAKE ? ErrorCode.CONNECT_FAILED : ErrorCode.CONNECTION_LOST,
            peer() + ": " + why,
            kept);
    if (receiving) {
      reader.stop();
      endAfterReceive = lost;
    } else {
      end(lost);
    }
  }

  /** Runs tasks on the connection's event loop. Any thread. */
  final Executor executor() {
    return outbox.output().executor();
  }

  /** Whether the session has been told that the connection is over. */
  public final boolean isEnded() {
    return phase == Phase.ENDED;
  }

  @Override
  public final void begin(FrameType type, int subject, int argument, int length) {
    boolean fits =
        type == FrameType.ERROR
            || (phase == Phase.HANDSHAKE
                ? inHandshake(type)
                : type.since() <= version && inOpen(type));
    if (!fits) {
      throw new SluiceException(
          ErrorCode.UNEXPECTED_FRAME,
          type + " does not belong here (" + phase + ", version " + version + ")");
    }
    if (type.isBulk()) {
      bulkBegin(subject, argument, length);
    }
  }

  @Override
  public final void body(
      FrameType type, int subject, int argument, ByteBuffer bytes, int offset, int length) {
    switch (type) {
      case PING:
        if (outbox.isOpen()) {
          Frames.number(outbox.small(), FrameType.PONG, 0, bytes.getLong(offset));
        }
        break;
      case PONG:
        break;
      case GOAWAY:
        peerGoesAway();
        break;
      case ERROR:
        throw new PeerError(
            ErrorCode.ofNumber(argument), peer() + ": " + Frames.text(bytes, offset, length));
      default:
        frame(type, subject, argument, bytes, offset, length);
    }
  }

  @Override
  public final void writable() {
    if (phase == Phase.OPEN || phase == Phase.LEAVING) {
      guarded(this::sessionWritable);
    }
  }

  @Override
  public final void overflowed() {
    abandon(new SluiceException(ErrorCode.PEER_NOT_READING, peer() + " does not read its answers"));
  }

  /** Runs something of the session outside {@link #receive}. */
  final void guarded(Runnable call) {
    if (phase == Phase.ENDED) {
      return;
    }
    try {
      call.run();
      flush();
    } catch (SluiceException violation) {
      fail(violation);
    } catch (RuntimeException bug) {
      failOnBug(bug);
    }
  }

  /** WELCOME was sent or has come, and names the version. */
  final void opened(int agreed) {
    version = agreed;
    phase = Phase.OPEN;
  }

  final void leaving() {
    phase = Phase.LEAVING;
  }

  final Phase phase() {
    return phase;
  }

  final String peer() {
    return outbox.output().peer();
  }

  /** Tells the peer what is wrong and ends the connection. Not from within {@link #receive}. */
  final void fail(SluiceException violation) {
    if (phase == Phase.ENDED) {
      return;
    }
    if (violation instanceof PeerError) {
      end(violation);
      outbox.output().abort();
      return;
    }
    tell("closing", violation);
    String message = violation.getMessage();
    if (outbox.isOpen()) {
      outbox.dropBulk();
      beforeFailure();
      Frames.failure(
          outbox.small(), FrameType.ERROR, 0, violation.code(), message == null ? "" : message);
      outbox.flushAndShut();
    }
    end(violation);
    outbox.output().close();
  }

  /** Ends the connection with a peer that would not read an explanation. */
  final void abandon(SluiceException cause) {
    if (phase == Phase.ENDED) {
      return;
    }
    tell("dropping", cause);
    end(cause);
    outbox.output().abort();
  }

  /** Who was never admitted, a port scan or a probe, must not be able to fill the log. */
  private void tell(String doing, SluiceException why) {
    if (phase == Phase.HANDSHAKE) {
      log.debug("{} connection with {}: {}", doing, peer(), why.getMessage());
    } else {
      tellOfAdmitted(doing, why);
    }
  }

  /** The connection of a peer that was let in ends for something that it did or did not do. */
  void tellOfAdmitted(String doing, SluiceException why) {
    log.info("{} connection with {}: {}", doing, peer(), why.getMessage());
  }

  /** Ends in order: all that was queued has been given to the output. */
  final void finish(SluiceException reason) {
    end(reason);
    outbox.output().close();
  }

  private void failOnBug(RuntimeException bug) {
    log.error("unexpected failure on connection with {}", peer(), bug);
    fail(new SluiceException(ErrorCode.INTERNAL_ERROR, bug.toString(), bug));
  }

  private void end(SluiceException cause) {
    if (phase == Phase.ENDED) {
      return;
    }
    phase = Phase.ENDED;
    outbox.shut();
    reader.close();
    try {
      sessionClosed(cause);
    } catch (RuntimeException bug) {
      log.error("session of {} failed to close", peer(), bug);
    }
  }

  /** What to say when WELCOME was neither sent nor received in time. */
  SluiceException handshakeLate() {
    return new SluiceException(ErrorCode.TIMED_OUT, "handshake with " + peer() + " not done");
  }

  /** Whether a peer that takes nothing for too long is dropped, however much it says. */
  abstract boolean endsWhoTakesNothing();

  /** Whether a frame may come before WELCOME. */
  abstract boolean inHandshake(FrameType type);

  /** Whether a frame may come after WELCOME. */
  abstract boolean inOpen(FrameType type);

  abstract void bulkBegin(int subject, int argument, int length);

  /** A small frame that is not common to both sides. */
  abstract void frame(
      FrameType type, int subject, int argument, ByteBuffer bytes, int offset, int length);

  /** Writes what must precede an ERROR. */
  abstract void beforeFailure();

  abstract void peerGoesAway();

  abstract void flush();

  abstract void sessionReadComplete();

  abstract void sessionWritable();

  abstract void sessionClosed(SluiceException cause);

  /** The peer has ended the connection by an ERROR frame, which is not answered. */
  private static final class PeerError extends SluiceException {
    PeerError(ErrorCode code, String message) {
      super(code, message);
    }
  }
}
