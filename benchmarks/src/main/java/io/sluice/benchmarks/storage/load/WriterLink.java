package io.sluice.benchmarks.storage.load;

import io.sluice.common.error.ErrorCode;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.ServerSession;
import io.sluice.transport.ServerSessionFactory;
import java.util.UUID;
import java.util.concurrent.Executor;

/**
 * A connection that pushes: takes blocks from its writer, within its credit. They are made where
 * they are taken, a frame at a time, so that a frame is in the processor's own cache as what a read
 * of a socket has just copied is. Everything but {@link #end} on its event loop, unless stated.
 */
final class WriterLink extends QuietLink {
  /** What a writer asks for at a time; a client's window is as large. */
  private static final long WANT_BYTES = 4 << 20;

  private final BlockSource source;
  private final ClientWork client;
  private final ServerSession session;
  private final FrameCutter cutter;
  private final Frame frame;
  private long credit;
  private long acked;
  private boolean wants;
  private boolean sourceEnded;
  private boolean done;

  /**
   * @param client counts what making blocks takes
   */
  WriterLink(
      ServerSessionFactory server, Executor loop, BlockSource source, ClientWork client, long id) {
    super(loop);
    this.source = source;
    this.client = client;
    frame = source.frame();
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
          pump();
        });
  }

  /** Gives back all credit. Any thread; once, at the end. */
  void disconnect() {
    executor().execute(session::closed);
  }

  /** Takes one frame, as a loop reads once from each socket before it turns to the first again. */
  private void pump() {
    boolean taken = isFilled() && take();
    // The acknowledgements of what was taken may bring the credit that is missing.
    session.readComplete();
    if (taken || (frame.hasRemaining() && credit >= cutter.charge(frame))) {
      run(executor(), this::pump);
    } else if (frame.hasRemaining() && !wants) {
      wants = true;
      session.want(WANT_BYTES);
    }
    endIfDone();
  }

  /** Whether the frame holds something: makes more while it is empty and there is more. */
  private boolean isFilled() {
    // At a map's end a frame may come back empty.
    while (!frame.hasRemaining() && !sourceEnded) {
      client.run(() -> sourceEnded = !source.fill(frame));
    }
    return frame.hasRemaining();
  }

  /** Takes blocks while there is credit; true if the frame is empty then. */
  private boolean take() {
    while (frame.hasRemaining()) {
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
    if (sourceEnded && !frame.hasRemaining() && acked == cutter.blocks() && !done) {
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
}
