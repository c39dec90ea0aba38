package io.sluice.server;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.InventoryEntries;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.PeerInfo;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSession;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.TransportLimits;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A client that speaks to the core through a link without a network. Keeps the books a client would
 * keep, and fails on anything the protocol forbids.
 */
final class TestPeer implements ServerLink {
  final Map<Long, TestBlock> pending = new LinkedHashMap<>();
  final List<TestBlock> acked = new ArrayList<>();
  final Map<TestBlock, ErrorCode> nacked = new LinkedHashMap<>();
  final List<ErrorCode> refusals = new ArrayList<>();
  final List<String> explanations = new ArrayList<>();
  final List<FailedReplica> blamed = new ArrayList<>();
  final Map<Integer, Stream> streams = new LinkedHashMap<>();
  final Queue<OutgoingData> unsent = new ArrayDeque<>();
  final ServerSession session;
  long credit;
  long granted;
  long reclaimAsked;
  @Nullable ErrorCode closedFor;

  /** Whether data leaves at once; else it queues up and the socket is full at some point. */
  boolean reads = true;

  private static final int SOCKET_PIECES = 4;

  private final Executor executor;
  private long nextBlock;
  private int nextHandle;
  private int nextStream;

  TestPeer(ServerSessionFactory server, Executor executor) {
    this.executor = executor;
    PeerInfo info = new PeerInfo(new UUID(7, 7), 1, "test");
    ServerSessionFactory.Accepted accepted = server.accept(info, this);
    session = accepted.session();
    credit = accepted.seedCredit();
  }

  int open(ShuffleKey shuffle, long incarnation) {
    return open(shuffle, incarnation, List.of());
  }

  int open(ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    session.open(nextHandle, shuffle, incarnation, others);
    return nextHandle++;
  }

  /** Pushes a block if there is credit for it. */
  boolean push(int handle, TestBlock block) {
    if (credit < TransportLimits.charge(block.stored())) {
      return false;
    }
    pushRegardless(handle, block, block.bytes());
    return true;
  }

  void pushRegardless(int handle, TestBlock block, ByteBuffer bytes) {
    credit -= TransportLimits.charge(block.stored());
    pending.put(nextBlock, block);
    session.block(handle, nextBlock++, bytes, 0, crcMatches(bytes));
  }

  /** Pushes a block in parts of some size, if there is credit for it. */
  boolean pushInParts(int handle, TestBlock block, int partBytes) {
    if (credit < TransportLimits.charge(block.stored())) {
      return false;
    }
    begin(handle, block);
    ByteBuffer bytes = block.bytes();
    for (int at = BlockHeader.LENGTH; at < block.length(); at += partBytes) {
      session.blockPart(bytes, at, Math.min(partBytes, block.length() - at));
    }
    session.blockEnd(true);
    return true;
  }

  void begin(int handle, TestBlock block) {
    credit -= TransportLimits.charge(block.stored());
    pending.put(nextBlock, block);
    session.blockBegin(handle, nextBlock++, block.bytes(), 0);
  }

  private static boolean crcMatches(ByteBuffer bytes) {
    return BlockHeader.crcMatches(bytes, 0, new io.sluice.common.block.Crc32c());
  }

  Stream fetch(int handle, int firstPartition, int endPartition, int firstMap, int endMap, long c) {
    Stream stream = new Stream(c);
    streams.put(nextStream, stream);
    session.fetch(
        new FetchRequest(nextStream++, handle, firstPartition, endPartition, firstMap, endMap, c));
    return stream;
  }

  Stream inventory(int handle, int firstMap) {
    Stream stream = new Stream(InventoryEntries.MAX_BYTES);
    streams.put(nextStream, stream);
    session.inventory(nextStream++, handle, firstMap);
    return stream;
  }

  void addCredit(Stream stream, long bytes) {
    stream.credit += bytes;
    session.fetchCredit(idOf(stream), bytes);
  }

  void cancel(Stream stream) {
    session.fetchCancel(idOf(stream));
    stream.cancelled = true;
  }

  int idOf(Stream stream) {
    return streams.entrySet().stream()
        .filter(entry -> entry.getValue() == stream)
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  /** Lets everything queued leave. */
  void drain() {
    while (!unsent.isEmpty()) {
      unsent.remove().close();
    }
    session.writable();
  }

  void close() {
    while (!unsent.isEmpty()) {
      unsent.remove().close();
    }
    session.closed();
  }

  private Stream stream(int id) {
    return Objects.requireNonNull(streams.get(id));
  }

  @Override
  public String peer() {
    return "test";
  }

  @Override
  public Executor executor() {
    return executor;
  }

  @Override
  public void ack(long first, int count, long refund) {
    acked.addAll(answered(first, count, refund));
  }

  @Override
  public void nack(long first, int count, long refund, ErrorCode code) {
    answered(first, count, refund).forEach(block -> nacked.put(block, code));
  }

  private List<TestBlock> answered(long first, int count, long refund) {
    List<TestBlock> blocks = new ArrayList<>();
    long charge = 0;
    for (long number = first; number < first + count; number++) {
      TestBlock block = pending.remove(number);
      if (block == null) {
        throw new AssertionError("block " + number + " was answered twice or never sent");
      }
      charge += TransportLimits.charge(block.stored());
      blocks.add(block);
    }
    if (refund < 0 || refund > charge) {
      throw new AssertionError("refund of " + refund + " for a charge of " + charge);
    }
    credit += refund;
    return blocks;
  }

  @Override
  public void replicasFailed(List<FailedReplica> failed) {
    blamed.addAll(failed);
  }

  @Override
  public void grant(long bytes) {
    if (bytes < 1) {
      throw new AssertionError("grant of " + bytes);
    }
    credit += bytes;
    granted += bytes;
  }

  @Override
  public void explain(ErrorCode code, String why) {
    explanations.add(code + ": " + why);
  }

  @Override
  public void refuseWant(ErrorCode code) {
    refusals.add(code);
  }

  @Override
  public void reclaim(long bytes) {
    reclaimAsked += bytes;
  }

  @Override
  public void data(int stream, int partition, OutgoingData data) {
    Stream to = stream(stream);
    if (data.length() < 1 || data.length() > TransportLimits.MAX_DATA_BYTES) {
      throw new AssertionError("piece of " + data.length() + " bytes");
    }
    to.credit -= data.length();
    if (to.credit < 0 || to.ended || to.failure != null) {
      throw new AssertionError("data beyond credit or end");
    }
    to.add(partition, data);
    to.begun.complete(null);
    if (reads) {
      data.close();
    } else {
      unsent.add(data);
    }
  }

  @Override
  public void streamEnd(int stream, long blocks, long bytes) {
    Stream ended = stream(stream);
    ended.ended = true;
    ended.saidBlocks = blocks;
    ended.saidBytes = bytes;
    ended.over.complete(null);
  }

  @Override
  public void streamFailed(int stream, ErrorCode code, String message) {
    stream(stream).failure = code;
    stream(stream).problem = message;
    stream(stream).over.complete(null);
  }

  @Override
  public boolean isWritable() {
    return unsent.size() < SOCKET_PIECES;
  }

  @Override
  public void flush() {}

  @Override
  public void close(ErrorCode code, String message) {
    closedFor = code;
    executor.execute(session::closed);
  }

  /** What came of a fetch. */
  static final class Stream {
    final Map<Integer, ByteArrayOutputStream> byPartition = new TreeMap<>();
    final CompletableFuture<Void> begun = new CompletableFuture<>();
    final CompletableFuture<Void> over = new CompletableFuture<>();
    long credit;
    boolean ended;
    boolean cancelled;
    @Nullable ErrorCode failure;
    String problem = "";
    long saidBlocks;
    long saidBytes;

    Stream(long credit) {
      this.credit = credit;
    }

    private void add(int partition, OutgoingData data) {
      ByteArrayOutputStream out =
          byPartition.computeIfAbsent(partition, p -> new ByteArrayOutputStream());
      for (ByteBuffer buffer : data.buffers()) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        out.writeBytes(copy);
      }
    }

    /** What came whole; the last block of each partition may have been broken off. */
    List<TestBlock> wholeBlocks() {
      return byPartition.values().stream()
          .flatMap(out -> TestBlock.parseWhole(ByteBuffer.wrap(out.toByteArray())).stream())
          .toList();
    }

    List<TestBlock> blocks() {
      List<TestBlock> blocks = new ArrayList<>();
      byPartition.forEach(
          (partition, out) -> {
            for (TestBlock block : TestBlock.parse(ByteBuffer.wrap(out.toByteArray()))) {
              if (block.partition() != partition) {
                throw new AssertionError(block + " came as partition " + partition);
              }
              blocks.add(block);
            }
          });
      return blocks;
    }

    long bytes() {
      return byPartition.values().stream().mapToLong(ByteArrayOutputStream::size).sum();
    }
  }
}
