package io.sluice.benchmarks.storage.load;

import io.sluice.common.error.ErrorCode;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.ServerSession;
import io.sluice.transport.ServerSessionFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;

/**
 * A connection that pushes: takes frames from its writer, within its credit. Everything but {@link
 * #end} on its event loop, unless stated.
 */
final class WriterLink extends QuietLink {
  /** What a writer asks for at a time; a client's window is as large. */
  private static final long WANT_BYTES = 4 << 20;

  /**
   * Frames that go back to the client at once. Waking its thread costs the event loop microseconds
   * which no server spends: it reads from sockets, and nobody waits for its buffers.
   */
  private static final int FRAMES_BACK = 4;

  /** While some are on their way back as many are being filled and taken. */
  private static final int FRAMES = 2 * FRAMES_BACK;

  private final BlockSource source;
  private final Executor client;
  private final ServerSession session;
  private final FrameCutter cutter;
  private final ArrayDeque<Frame> frames = new ArrayDeque<>();
  private final List<Frame> taken = new ArrayList<>();
  private long credit;
  private long acked;
  private boolean wants;
  private boolean sourceEnded;
  private boolean done;

  /**
   * @param client where blocks are made
   */
  WriterLink(
      ServerSessionFactory server, Executor loop, BlockSource source, Executor client, long id) {
    super(loop);
    this.source = source;
    this.client = client;
    ServerSessionFactory.Accepted accepted =
        server.accept(new PeerInfo(new UUID(id, id), 1, peer()), this);
    session = accepted.session();
    credit = accepted.seedCredit();
    cutter = new FrameCutter(session);
  }

  /** Opens the shuffles and begins to push. Any thread; once. */
  void start(BlockPlan plan, long incarnation) {
    run(
        executor(),
        () -> {
          for (int i = 0; i < plan.shuffles(); i++) {
            session.open(i, plan.shuffle(i), incarnation);
          }
        });
    run(
        client,
        () -> {
          for (int i = 0; i < FRAMES; i++) {
            fill(source.frame());
          }
        });
  }

  /** Gives back all credit. Any thread; once, at the end. */
  void disconnect() {
    executor().execute(session::closed);
  }

  private void fill(Frame frame) {
    boolean filled = source.fill(frame);
    run(
        executor(),
        () -> {
          if (filled) {
            frames.add(frame);
          } else {
            sourceEnded = true;
          }
          pump();
        });
  }

  private void pump() {
    while (!frames.isEmpty() && take(frames.element())) {
      taken.add(frames.remove());
      session.readComplete();
      if (taken.size() == FRAMES_BACK) {
        List<Frame> back = List.copyOf(taken);
        taken.clear();
        run(client, () -> back.forEach(this::fill));
      }
    }
    if (!frames.isEmpty()) {
      // The acknowledgements of what was taken may bring the credit that is missing.
      session.readComplete();
      if (credit >= cutter.charge(frames.element())) {
        run(executor(), this::pump);
      } else if (!wants) {
        wants = true;
        session.want(WANT_BYTES);
      }
    }
    endIfDone();
  }

  /** Takes blocks while there is credit; true if the frame is empty then. */
  private boolean take(Frame frame) {
    while (frame.bytes().hasRemaining()) {
      long charge = cutter.charge(frame);
      if (credit < charge) {
        return false;
      }
      credit -= charge;
      cutter.step(frame);
    }
    return true;
  }

  private void endIfDone() {
    if (sourceEnded && frames.isEmpty() && acked == cutter.blocks() && !done) {
      done = true;
      end().complete(null);
    }
  }

  @Override
  public void ack(long first, int count, long refund) {
    if (first != acked) {
      fail(ErrorCode.UNEXPECTED_FRAME, "ack of " + first + ", expected " + acked);
    }
    acked += count;
    credit += refund;
  }

  @Override
  public void grant(long bytes) {
    wants = false;
    credit += bytes;
    run(executor(), this::pump);
  }

  @Override
  public void reclaim(long bytes) {
    // A writer that waits for nothing can spare what it holds.
    run(
        executor(),
        () -> {
          long spare = frames.isEmpty() ? Math.min(bytes, credit) : 0;
          if (spare > 0 && !done) {
            credit -= spare;
            session.creditReturned(spare);
          }
        });
  }
}
