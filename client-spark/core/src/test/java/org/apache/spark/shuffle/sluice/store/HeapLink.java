package org.apache.spark.shuffle.sluice.store;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Streams blocks that are in the heap. On its loop only. */
final class HeapLink implements ClientLink {
  private final HeapShuffleStore heap;
  private final Scheduler loop;
  private final ClientSession session;
  private final Map<Integer, ShuffleKey> handles = new HashMap<>();
  private final Map<Integer, Stream> streams = new HashMap<>();

  HeapLink(HeapShuffleStore heap, Scheduler loop, ClientSession session) {
    this.heap = heap;
    this.loop = loop;
    this.session = session;
  }

  @Override
  public Executor executor() {
    return loop;
  }

  @Override
  public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    handles.put(handle, shuffle);
  }

  @Override
  public int maxHandles() {
    return 4096;
  }

  @Override
  public void release(int handle) {
    handles.remove(handle);
  }

  // ---------------------------------------------------------------------------------- fetching

  @Override
  public void fetch(FetchRequest request) {
    heap.countStream();
    Stream stream = new Stream(request);
    ShuffleKey shuffle = Objects.requireNonNull(handles.get(request.handle()));
    for (int partition = request.firstPartition();
        partition < request.endPartition();
        partition++) {
      stream.add(partition, inTurn(heap.blocks(shuffle, partition), request));
    }
    streams.put(stream.number, stream);
    loop.execute(() -> send(stream));
  }

  private static List<byte[]> inTurn(List<HeapBlock> blocks, FetchRequest request) {
    Map<Long, ArrayDeque<byte[]>> byAttempt = new TreeMap<>();
    int continues = 0;
    for (HeapBlock block : blocks) {
      if (block.mapIndex() >= request.firstMap() && block.mapIndex() < request.endMap()) {
        byAttempt
            .computeIfAbsent(block.attemptId(), attempt -> new ArrayDeque<>())
            .add(sealed(block, continues));
      }
      continues = block.continues() ? BlockHeader.CONTINUED : 0;
    }
    List<byte[]> mixed = new ArrayList<>();
    while (!byAttempt.isEmpty()) {
      byAttempt.values().forEach(left -> mixed.add(left.remove()));
      byAttempt.values().removeIf(ArrayDeque::isEmpty);
    }
    return mixed;
  }

  private static byte[] sealed(HeapBlock block, int continued) {
    ByteBuffer bytes = ByteBuffer.allocate(BlockHeader.LENGTH + block.stored().length);
    BlockHeader.write(
        bytes,
        0,
        block.flags() | continued,
        block.partition(),
        block.mapIndex(),
        block.attemptId(),
        block.sequence(),
        block.rawLength(),
        block.stored().length,
        block.recordCount());
    bytes.put(BlockHeader.LENGTH, block.stored());
    BlockHeader.seal(bytes, 0, new Crc32c());
    return bytes.array();
  }

  @Override
  public void fetchCredit(int number, long bytes) {
    Stream stream = streams.get(number);
    if (stream != null) {
      stream.credit += bytes;
      loop.execute(() -> send(stream));
    }
  }

  @Override
  public void fetchCancel(int number) {
    streams.remove(number);
  }

  private void send(Stream stream) {
    while (streams.get(stream.number) == stream && stream.credit > 0 && stream.hasMore()) {
      stream.sendPiece();
    }
    if (!stream.hasMore() && streams.remove(stream.number, stream)) {
      session.streamEnded(stream.number, stream.blocks, stream.sent);
    }
    session.readComplete();
  }

  private record Piece(int partition, ByteBuffer bytes) {}

  private final class Stream {
    final int number;
    final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    long credit;
    long blocks;
    long sent;

    Stream(FetchRequest request) {
      number = request.stream();
      credit = request.credit();
    }

    void add(int partition, List<byte[]> more) {
      more.forEach(bytes -> pieces.add(new Piece(partition, ByteBuffer.wrap(bytes))));
      blocks += more.size();
    }

    boolean hasMore() {
      return !pieces.isEmpty();
    }

    void sendPiece() {
      Piece piece = pieces.element();
      ByteBuffer bytes = piece.bytes;
      int length =
          (int) Math.min(credit, Math.min(TransportLimits.MAX_DATA_BYTES, bytes.remaining()));
      int offset = bytes.position();
      bytes.position(offset + length);
      if (!bytes.hasRemaining()) {
        pieces.remove();
      }
      credit -= length;
      sent += length;
      session.data(number, piece.partition, bytes.duplicate(), offset, length);
    }
  }

  @Override
  public void damaged(int stream, DamagedBlock block) {
    throw new AssertionError("damaged in the heap: " + block);
  }

  // ---------------------------------------------------------------------------------- the rest

  @Override
  public void push(int handle, int blockCount, ByteBuf blocks) {
    throw new AssertionError("maps write to the heap");
  }

  @Override
  public void push(int handle, int blockCount, OutgoingData blocks) {
    throw new AssertionError("maps write to the heap");
  }

  @Override
  public void want(long bytes) {}

  @Override
  public void returnCredit(long bytes) {}

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    abort(new SluiceException(ErrorCode.CONNECTION_LOST, "closed by the client"));
  }

  @Override
  public void abort(SluiceException cause) {
    try {
      loop.execute(
          () -> {
            streams.clear();
            session.closed(cause);
          });
    } catch (RejectedExecutionException ended) {
      // With the client.
    }
  }
}
