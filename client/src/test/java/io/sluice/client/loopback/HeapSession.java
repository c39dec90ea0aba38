package io.sluice.client.loopback;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSession;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Stores what comes, acknowledges once per read, streams it back under the reader's credit. */
final class HeapSession implements ServerSession {
  private final ServerLink link;
  private final HeapServer.Store store;
  private final boolean grants;
  private final Map<Integer, Stream> streams = new LinkedHashMap<>();

  private byte[] partial = new byte[0];
  private int filled;
  private long firstUnacked;
  private int unacked;
  private long refund;

  HeapSession(ServerLink link, HeapServer.Store store, boolean grants) {
    this.link = link;
    this.store = store;
    this.grants = grants;
  }

  @Override
  public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {}

  @Override
  public void release(int handle) {}

  @Override
  public void block(int handle, long number, ByteBuffer bytes, int offset, boolean crcMatches) {
    begin(bytes, offset);
    add(bytes, offset + BlockHeader.LENGTH, partial.length - filled);
    store(crcMatches);
  }

  @Override
  public void blockBegin(int handle, long number, ByteBuffer header, int offset) {
    begin(header, offset);
  }

  private void begin(ByteBuffer header, int offset) {
    partial = new byte[BlockHeader.LENGTH + BlockHeader.storedLength(header, offset)];
    filled = 0;
    add(header, offset, BlockHeader.LENGTH);
  }

  @Override
  public void blockPart(ByteBuffer bytes, int offset, int length) {
    add(bytes, offset, length);
  }

  private void add(ByteBuffer bytes, int offset, int length) {
    bytes.duplicate().position(offset).get(partial, filled, length);
    filled += length;
  }

  @Override
  public void blockEnd(boolean crcMatches) {
    store(crcMatches);
  }

  private void store(boolean crcMatches) {
    if (!crcMatches) {
      throw new AssertionError("damaged on the loopback");
    }
    ByteBuffer header = ByteBuffer.wrap(partial);
    store.add(BlockHeader.partition(header, 0), partial);
    refund += TransportLimits.charge(partial.length - BlockHeader.LENGTH);
    unacked++;
  }

  @Override
  public void readComplete() {
    if (unacked > 0) {
      // A stingy one keeps what was spent: refunds alone carry any amount through the seed.
      link.ack(firstUnacked, unacked, grants ? refund : 0);
      firstUnacked += unacked;
      unacked = 0;
      refund = 0;
      link.flush();
    }
  }

  @Override
  public void want(long bytes) {
    if (grants) {
      link.grant(bytes);
    }
  }

  @Override
  public void creditReturned(long bytes) {}

  @Override
  public void fetch(FetchRequest request) {
    Stream stream = new Stream(request);
    streams.put(request.stream(), stream);
    send(stream);
  }

  @Override
  public void fetchCredit(int number, long bytes) {
    Stream stream = streams.get(number);
    if (stream != null) {
      stream.credit += bytes;
      send(stream);
    }
  }

  @Override
  public void damaged(int stream, DamagedBlock block) {}

  @Override
  public void fetchCancel(int stream) {
    streams.remove(stream);
  }

  @Override
  public void writable() {
    List.copyOf(streams.values()).forEach(this::send);
  }

  @Override
  public void closed() {
    streams.clear();
  }

  private void send(Stream stream) {
    while (!stream.pieces.isEmpty() && stream.credit > 0 && link.isWritable()) {
      Piece piece = stream.pieces.element();
      int length =
          (int)
              Math.min(
                  Math.min(stream.credit, TransportLimits.MAX_DATA_BYTES),
                  piece.block().length - stream.position);
      ByteBuffer bytes = ByteBuffer.allocateDirect(length);
      bytes.put(piece.block(), stream.position, length).flip();
      link.data(stream.number, piece.partition(), new Copy(bytes, length));
      stream.credit -= length;
      stream.sent += length;
      stream.position += length;
      if (stream.position == piece.block().length) {
        stream.pieces.remove();
        stream.position = 0;
      }
    }
    if (stream.pieces.isEmpty() && streams.remove(stream.number) != null) {
      link.streamEnd(stream.number, stream.blocks, stream.sent);
    }
    link.flush();
  }

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Piece(int partition, byte[] block) {}

  private final class Stream {
    final int number;
    final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    final long blocks;
    long credit;
    long sent;
    int position;

    Stream(FetchRequest request) {
      number = request.stream();
      credit = request.credit();
      for (int p = request.firstPartition(); p < request.endPartition(); p++) {
        for (byte[] block : new ArrayList<>(store.blocks(p))) {
          int map = BlockHeader.mapIndex(ByteBuffer.wrap(block), 0);
          if (map >= request.firstMap() && map < request.endMap()) {
            pieces.add(new Piece(p, block));
          }
        }
      }
      blocks = pieces.size();
    }
  }

  private record Copy(ByteBuffer bytes, int length) implements OutgoingData {
    @Override
    public ByteBuffer[] buffers() {
      return new ByteBuffer[] {bytes};
    }

    @Override
    public void close() {}
  }
}
