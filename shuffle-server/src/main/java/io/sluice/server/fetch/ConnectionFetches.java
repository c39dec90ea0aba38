package io.sluice.server.fetch;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.damage.ExtentChecks;
import io.sluice.server.damage.LookWait;
import io.sluice.server.lifecycle.ShuffleHandle;
import io.sluice.server.memory.LeaseBudget;
import io.sluice.server.memory.QueuedChunks;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.MemoryPieces;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.ServerLink;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fetch streams of one connection, served in turn, a piece each, while the socket takes data
 * and for no longer than a {@link Turn} at a time. On the connection's event loop.
 */
public final class ConnectionFetches {
  private static final Logger log = LoggerFactory.getLogger(ConnectionFetches.class);

  private final ServerLink link;
  private final ReadBuffers buffers;
  private final Convoys convoys;
  private final MemoryPieces pieces;
  private final LeaseBudget leases;
  private final QueuedChunks queue;
  private final ServerStats stats;
  private final ExtentChecks checks;
  private final PeerInfo peer;
  private final FetchTrace trace;
  private final Map<Integer, FetchStream> streams = new HashMap<>();
  private final EndedStreams ended = new EndedStreams();
  // Streams that may have something to send, in turn; the others wait for credit or a disk.
  private final ArrayDeque<FetchStream> ready = new ArrayDeque<>();
  private final Set<FetchStream> inReady = new LinkedHashSet<>();
  // For each pool that this connection waits for, the streams that do.
  private final IdentityHashMap<ReadBufferPool, Set<FetchStream>> wantBuffer =
      new IdentityHashMap<>();
  // Buffers that a turn of this connection has brought, while they are not used.
  private final IdentityHashMap<ReadBufferPool, ReadBuffer> handed = new IdentityHashMap<>();
  // Streams that were refused a buffer and have had none since, the longest first.
  private final Set<FetchStream> line = new LinkedHashSet<>();
  private final StreamOutput output = new Output();
  private final Turn turn = new Turn();
  // Whether a task will go on where the last turn ended.
  private boolean goesOn;
  private boolean refused;
  private boolean closed;

  public ConnectionFetches(PeerInfo peer, ServerLink link, FetchParts parts) {
    this.peer = peer;
    this.trace = new FetchTrace(peer, parts.checks().clock());
    this.link = link;
    this.buffers = parts.buffers();
    this.convoys = parts.convoys();
    this.pieces = parts.pieces();
    this.leases = parts.leases();
    this.queue = leases.queue(() -> onLoop(this::pumpAndFlush));
    this.checks = parts.checks();
    this.stats = parts.stats();
  }

  /** Begins a stream; {@link #pump} sends. */
  public void fetch(ShuffleHandle handle, FetchRequest request) {
    stats.fetchBegan();
    trace.began(handle.key(), request);
    Shuffle shuffle = handle.forFetch();
    if (shuffle == null) {
      output.failed(
          request.stream(), handle.refusal(), "nothing of shuffle " + handle.key() + " is here");
      return;
    }
    FetchStream stream = new FetchStream(request, shuffle, output);
    streams.put(request.stream(), stream);
    wake(stream);
  }

  public void credit(int id, long bytes) {
    FetchStream stream = streams.get(id);
    if (stream != null) {
      stream.addCredit(bytes);
      wake(stream);
    }
  }

  public void cancel(int id) {
    FetchStream stream = streams.remove(id);
    if (stream != null) {
      forget(stream);
    }
  }

  /**
   * The reader found a block damaged: its partition is looked through if the stream is or was of
   * it. A fetch that comes next on this connection finds that begun.
   *
   * @param shuffle that it says the block is of, or null if that is not here
   */
  public void damaged(int id, DamagedBlock block, @Nullable Shuffle shuffle) {
    stats.damageReported();
    boolean heard = trace.damaged(id, block, shuffle);
    FetchStream stream = streams.get(id);
    FetchedRange range = stream == null ? ended.range(id) : stream.range();
    if (heard
        && shuffle != null
        && range != null
        && range.contains(shuffle.key(), block.partition())) {
      boolean header = block.mapIndex() == DamagedBlock.UNKNOWN;
      checks.complaint(peer, shuffle, block.partition(), header);
    }
  }

  /** Streams that have not ended. */
  public int active() {
    return streams.size();
  }

  /**
   * Sends while there is something to send and the queue takes it, in bytes and in what these keep
   * from being freed, or until its turn is over: then it goes on in a task of its own. Does not
   * flush.
   */
  public void pump() {
    turn.begin();
    while (!ready.isEmpty() && link.isWritable() && !queue.isFull()) {
      if (turn.isOver()) {
        goOnLater();
        return;
      }
      FetchStream stream = ready.remove();
      refused = false;
      FetchStream.Step step = stream.step(turn);
      if (!refused) {
        line.remove(stream);
      }
      switch (step) {
        case SENT, INTERRUPTED -> ready.add(stream);
        case BLOCKED, AWAITS_LEASE -> inReady.remove(stream);
        case ENDED -> {
          streams.remove(stream.id());
          forget(stream);
        }
      }
    }
  }

  private void goOnLater() {
    if (!goesOn) {
      goesOn = true;
      link.executor()
          .execute(
              () -> {
                goesOn = false;
                pumpAndFlush();
              });
    }
  }

  private void wake(FetchStream stream) {
    if (!closed && !stream.closed() && inReady.add(stream)) {
      ready.add(stream);
    }
  }

  private void forget(FetchStream stream) {
    ended.add(stream);
    stream.close();
    wantBuffer.values().forEach(waiting -> waiting.remove(stream));
    line.remove(stream);
    if (inReady.remove(stream)) {
      ready.remove(stream);
    }
  }

  /** The connection is gone: all leases end, those of reads under way when they are done. */
  public void close() {
    closed = true;
    streams.values().forEach(FetchStream::close);
    streams.clear();
    ready.clear();
    inReady.clear();
    wantBuffer.clear();
    line.clear();
  }

  private void mayGoOn(FetchStream stream) {
    wake(stream);
    pumpAndFlush();
  }

  private void roomForLease(FetchStream stream) {
    mayGoOn(stream);
    // The queue may be full meanwhile, or the turn over: others need not wait for that.
    stream.giveBackUnused();
  }

  /**
   * @param application whose turn it was
   */
  private void bufferAvailable(ReadBufferPool pool, Object application, ReadBuffer buffer) {
    Set<FetchStream> waiting = wantBuffer.remove(pool);
    if (waiting != null) {
      waiting.forEach(this::wake);
      letLineGoFirst();
    }
    handed.put(pool, buffer);
    try {
      pumpAndFlush();
    } finally {
      // The queue may be full meanwhile, or the streams gone.
      ReadBuffer unused = handed.remove(pool);
      if (unused != null) {
        pool.takeUnused(application, unused);
      }
    }
  }

  /**
   * Puts the streams that wait for a buffer before those that are ready, in the order in which they
   * came. Otherwise the stream that has just had one, and wants the next, would take every one, and
   * the others would get none.
   */
  private void letLineGoFirst() {
    List<FetchStream> first = line.stream().filter(inReady::contains).toList();
    List<FetchStream> others = ready.stream().filter(stream -> !line.contains(stream)).toList();
    ready.clear();
    ready.addAll(first);
    ready.addAll(others);
  }

  /** Whoever frees memory is told nothing of a loop that has ended: its streams have, too. */
  private void onLoop(Runnable task) {
    try {
      link.executor().execute(task);
    } catch (RejectedExecutionException ended) {
      log.debug("the connection's event loop has ended", ended);
    }
  }

  private void pumpAndFlush() {
    if (!closed) {
      pump();
      link.flush();
    }
  }

  private boolean handOver(ReadBufferPool pool, Object application, ReadBuffer buffer) {
    try {
      link.executor().execute(() -> bufferAvailable(pool, application, buffer));
      return true;
    } catch (RejectedExecutionException ended) {
      log.debug("the connection's event loop has ended", ended);
      return false;
    }
  }

  private @Nullable ReadBuffer take(ReadBufferPool pool, FetchStream stream) {
    ReadBuffer own = handed.remove(pool);
    if (own != null) {
      return own;
    }
    Set<FetchStream> waiting = wantBuffer.get(pool);
    ReadBuffer buffer =
        waiting != null
            ? null
            : pool.tryTake(
                stream.application(), this, free -> handOver(pool, stream.application(), free));
    if (buffer == null) {
      wantBuffer.computeIfAbsent(pool, p -> new LinkedHashSet<>()).add(stream);
    }
    return buffer;
  }

  private final class Output implements StreamOutput {
    @Override
    public int readBufferBytes() {
      return buffers.bufferBytes();
    }

    @Override
    public boolean hasReadBuffersToSpare(SegmentStore store) {
      return buffers.of(store).hasPlenty();
    }

    @Override
    public MemoryPieces pieces() {
      return pieces;
    }

    @Override
    public StreamLease lease(FetchStream stream) {
      return new StreamLease(
          leases.line(stream.application(), queue, () -> onLoop(() -> roomForLease(stream))),
          () -> onLoop(() -> mayGoOn(stream)));
    }

    @Override
    public void data(int stream, int partition, OutgoingData data) {
      stats.fetched(data.length());
      link.data(stream, partition, data);
    }

    @Override
    public void ended(int stream, long blocks, long bytes) {
      stats.fetchEnded(blocks);
      link.streamEnd(stream, blocks, bytes);
    }

    @Override
    public void failed(int stream, ErrorCode code, String message) {
      stats.fetchFailed(code);
      link.streamFailed(stream, code, trace.failed(stream, code, message));
    }

    @Override
    public @Nullable Passage join(
        FetchStream stream, PartitionBuffer partition, MapRange maps, List<StoredExtent> extents) {
      return convoys.join(
          partition, maps, extents, () -> link.executor().execute(() -> mayGoOn(stream)));
    }

    @Override
    public @Nullable LookWait awaitLook(FetchStream stream, PartitionBuffer partition, long nanos) {
      return checks.await(partition, nanos, () -> onLoop(() -> mayGoOn(stream)));
    }

    @Override
    public boolean read(FetchStream stream, ExtentWork work, int length) {
      ReadBufferPool pool = buffers.of(work.source().store());
      ReadBuffer buffer = take(pool, stream);
      if (buffer == null) {
        refused = true;
        line.add(stream);
        return false;
      }
      line.remove(stream);
      PendingRead read = work.issue(buffer, length);
      stats.read(length);
      ReadEnd end = new ReadEnd(stream, work, read);
      StoredExtent source = work.source();
      source.store().read(work.part(), read.offset(), buffer, end);
      end.returned();
      return true;
    }
  }

  /** What was in the store's memory has been read when the call returns: no need to be woken. */
  private final class ReadEnd implements SegmentStore.ReadCallback {
    private final FetchStream stream;
    private final PendingRead read;
    private final ExtentWork work;
    private final Thread caller = Thread.currentThread();
    // Of the caller's thread.
    private boolean returned;

    ReadEnd(FetchStream stream, ExtentWork work, PendingRead read) {
      this.work = work;
      this.stream = stream;
      this.read = read;
    }

    void returned() {
      returned = true;
    }

    @Override
    public void read(@Nullable Throwable failure) {
      if (Thread.currentThread() == caller && !returned) {
        read.completed(failure);
      } else {
        try {
          link.executor().execute(() -> ended(failure));
        } catch (RejectedExecutionException loopEnded) {
          log.debug("the connection's event loop has ended", loopEnded);
          // Nobody else looks at it any more; the stream has ended, so this ends the buffer's use.
          read.completed(failure);
        }
      }
    }

    private void ended(@Nullable Throwable failure) {
      read.completed(failure);
      if (work.first() == read) {
        work.awaitsDisk(false);
      }
      mayGoOn(stream);
    }
  }
}
