package io.sluice.benchmarks.storage.load;

import io.sluice.common.error.ErrorCode;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.ServerSession;
import io.sluice.transport.ServerSessionFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection that fetches: so many reduce tasks at once, each one partition, or part of one,
 * after the other. What the server sends gathers on the event loop and goes to the client in
 * batches, when the server flushes; the connection takes no more while too much of it is unread, as
 * a socket would.
 */
final class ReaderLink extends QuietLink {
  /** Credit of a stream; given again when half of it is used up. */
  private static final long STREAM_CREDIT = 4 << 20;

  /** Unread bytes from which the connection is not writable, and from which it is again. */
  private static final long HIGH_WATER = 4 << 20;

  private static final long LOW_WATER = 2 << 20;

  private final ReadPlan plan;
  private final Executor client;
  private final ServerSession session;
  private final AtomicLong unread = new AtomicLong();
  // The event loop's.
  private List<Runnable> batch = new ArrayList<>();
  private boolean blocked;
  // The client's.
  private final List<Digest> fetched = new ArrayList<>();
  private final Map<Integer, Stream> streams = new HashMap<>();
  private int nextStream;

  /** What a client knows of a fetch. */
  private static final class Stream {
    private final Digest digest = new Digest();
    private final StreamChecker checker = new StreamChecker(digest);
    private long used;
  }

  /**
   * @param client where what comes is checked
   */
  ReaderLink(ServerSessionFactory server, Executor loop, ReadPlan plan, Executor client, long id) {
    super(loop);
    this.plan = plan;
    this.client = client;
    session = server.accept(new PeerInfo(new UUID(id, id), 1, peer()), this).session();
  }

  /** Opens the shuffles and begins to fetch. Any thread; once. */
  void start(BlockPlan blocks, long incarnation, int tasks) {
    run(
        executor(),
        () -> {
          for (int i = 0; i < blocks.shuffles(); i++) {
            session.open(i, blocks.shuffle(i), incarnation);
          }
        });
    run(
        client,
        () -> {
          for (int i = 0; i < tasks; i++) {
            next();
          }
          endIfDone();
        });
  }

  /** Any thread; once, at the end. */
  void disconnect() {
    executor().execute(session::closed);
  }

  /** Of each fetch; to be looked at after the end. */
  List<Digest> fetched() {
    return fetched;
  }

  private void next() {
    ReadPlan.Task task = plan.next();
    if (task == null) {
      return;
    }
    int id = nextStream++;
    Stream stream = new Stream();
    stream.checker.begin(task.partition(), task.maps());
    streams.put(id, stream);
    FetchRequest request =
        new FetchRequest(
            id,
            task.shuffle(),
            task.partition(),
            task.partition() + 1,
            task.maps().first(),
            task.maps().end(),
            STREAM_CREDIT);
    run(
        executor(),
        () -> {
          session.fetch(request);
          session.readComplete();
        });
  }

  private void endIfDone() {
    if (streams.isEmpty()) {
      end().complete(null);
    }
  }

  private Stream stream(int id) {
    return Objects.requireNonNull(streams.get(id), "no such stream");
  }

  private void read(int id, OutgoingData data) {
    Stream stream = stream(id);
    int length = data.length();
    try (data) {
      for (ByteBuffer buffer : data.buffers()) {
        stream.checker.piece(buffer);
      }
    }
    stream.used += length;
    if (stream.used >= STREAM_CREDIT / 2) {
      long more = stream.used;
      stream.used = 0;
      run(
          executor(),
          () -> {
            session.fetchCredit(id, more);
            session.readComplete();
          });
    }
    long left = unread.addAndGet(-length);
    if (left < LOW_WATER && left + length >= LOW_WATER) {
      run(executor(), this::unblock);
    }
  }

  private void unblock() {
    if (blocked) {
      blocked = false;
      session.writable();
    }
  }

  private void ended(int id, long blocks, long bytes) {
    Stream stream = stream(id);
    streams.remove(id);
    stream.checker.end(blocks, bytes);
    fetched.add(stream.digest);
    next();
    endIfDone();
  }

  @Override
  public void data(int stream, int partition, OutgoingData data) {
    unread.addAndGet(data.length());
    batch.add(() -> read(stream, data));
  }

  @Override
  public void streamEnd(int stream, long blocks, long bytes) {
    batch.add(() -> ended(stream, blocks, bytes));
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    fail(code, message);
  }

  @Override
  public boolean isWritable() {
    blocked = unread.get() >= HIGH_WATER;
    if (blocked) {
      flush();
    }
    return !blocked;
  }

  @Override
  public void flush() {
    if (!batch.isEmpty()) {
      List<Runnable> full = batch;
      batch = new ArrayList<>();
      run(client, () -> full.forEach(Runnable::run));
    }
  }
}
