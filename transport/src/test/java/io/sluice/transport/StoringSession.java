package io.sluice.transport;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ShuffleKey;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A small but true server core: stores blocks on the heap, acknowledges each, streams partitions
 * back under the reader's credit. Counts its leases.
 */
public final class StoringSession implements ServerSession {
  public final ServerLink link;
  public final List<byte[]> blocks = new ArrayList<>();
  public final Map<Integer, ShuffleKey> handles = new LinkedHashMap<>();
  public final List<Long> blockNumbers = new ArrayList<>();
  public final AtomicInteger openLeases = new AtomicInteger();
  public final AtomicInteger closedTwice = new AtomicInteger();
  public final AtomicInteger leasesTaken = new AtomicInteger();
  public final CountDownLatch closed = new CountDownLatch(1);
  public int readsCompleted;
  public int wholeBlocks;
  public long returned;

  private final Map<Integer, Stream> streams = new LinkedHashMap<>();
  private byte @Nullable [] partial;
  private int filled;
  private long partialNumber;

  public StoringSession(ServerLink link) {
    this.link = link;
  }

  @Override
  public void open(int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    handles.put(handle, shuffle);
  }

  @Override
  public void release(int handle) {
    handles.remove(handle);
  }

  @Override
  public void block(int handle, long number, ByteBuffer bytes, int offset, boolean crcMatches) {
    wholeBlocks++;
    byte[] copy = new byte[BlockHeader.LENGTH + BlockHeader.storedLength(bytes, offset)];
    copy(bytes, offset, copy, 0, copy.length);
    store(number, copy, crcMatches);
  }

  @Override
  public void blockBegin(int handle, long number, ByteBuffer header, int offset) {
    partial = new byte[BlockHeader.LENGTH + BlockHeader.storedLength(header, offset)];
    copy(header, offset, partial, 0, BlockHeader.LENGTH);
    filled = BlockHeader.LENGTH;
    partialNumber = number;
  }

  @Override
  public void blockPart(ByteBuffer bytes, int offset, int length) {
    copy(bytes, offset, current(), filled, length);
    filled += length;
  }

  @Override
  public void blockEnd(boolean crcMatches) {
    byte[] whole = current();
    if (filled != whole.length) {
      throw new AssertionError("block ended at " + filled + " of " + whole.length);
    }
    partial = null;
    store(partialNumber, whole, crcMatches);
  }

  private byte[] current() {
    if (partial == null) {
      throw new AssertionError("no block begun");
    }
    return partial;
  }

  private void store(long number, byte[] block, boolean crcMatches) {
    blockNumbers.add(number);
    long charge = TransportLimits.charge(block.length - BlockHeader.LENGTH);
    if (crcMatches) {
      blocks.add(block);
      link.ack(number, 1, charge);
    } else {
      link.nack(number, 1, charge, ErrorCode.CORRUPT_BLOCK);
    }
  }

  private static void copy(ByteBuffer from, int offset, byte[] to, int at, int length) {
    ByteBuffer view = from.duplicate();
    view.position(offset);
    view.get(to, at, length);
  }

  @Override
  public void want(long bytes) {
    if (bytes > 1 << 30) {
      link.refuseWant(ErrorCode.NO_MEMORY);
    } else {
      link.grant(bytes);
    }
  }

  @Override
  public void creditReturned(long bytes) {
    returned += bytes;
  }

  @Override
  public void fetch(FetchRequest request) {
    Stream stream = new Stream(request);
    streams.put(request.stream(), stream);
    stream.send();
  }

  @Override
  public void fetchCredit(int stream, long bytes) {
    Stream open = streams.get(stream);
    if (open != null) {
      open.credit += bytes;
      open.send();
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
    new ArrayList<>(streams.values()).forEach(Stream::send);
  }

  @Override
  public void readComplete() {
    readsCompleted++;
  }

  @Override
  public void closed() {
    streams.clear();
    closed.countDown();
  }

  private final class Stream {
    final FetchRequest request;
    final Map<Integer, byte[]> partitions = new LinkedHashMap<>();
    final long blockCount;
    long credit;
    long sent;
    int position;

    Stream(FetchRequest request) {
      this.request = request;
      this.credit = request.credit();
      long count = 0;
      for (int p = request.firstPartition(); p < request.endPartition(); p++) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] block : blocks) {
          ByteBuffer header = ByteBuffer.wrap(block);
          int map = BlockHeader.mapIndex(header, 0);
          if (BlockHeader.partition(header, 0) == p
              && map >= request.firstMap()
              && map < request.endMap()) {
            bytes.writeBytes(block);
            count++;
          }
        }
        if (bytes.size() > 0) {
          partitions.put(p, bytes.toByteArray());
        }
      }
      blockCount = count;
    }

    void send() {
      while (!partitions.isEmpty() && credit > 0 && link.isWritable()) {
        Map.Entry<Integer, byte[]> next = partitions.entrySet().iterator().next();
        byte[] bytes = next.getValue();
        int length = (int) Math.min(Math.min(credit, 100_000), (long) bytes.length - position);
        ByteBuffer direct = ByteBuffer.allocateDirect(length);
        direct.put(bytes, position, length).flip();
        link.data(request.stream(), next.getKey(), new Lease(direct));
        credit -= length;
        sent += length;
        position += length;
        if (position == bytes.length) {
          partitions.remove(next.getKey());
          position = 0;
        }
      }
      if (partitions.isEmpty()) {
        link.streamEnd(request.stream(), blockCount, sent);
        streams.remove(request.stream());
      }
      link.flush();
    }
  }

  /** Splits its bytes in two buffers, as a lease over two chunks would. */
  private final class Lease implements OutgoingData {
    private final ByteBuffer[] buffers;
    private final int length;
    private final AtomicInteger closes = new AtomicInteger();

    Lease(ByteBuffer bytes) {
      length = bytes.remaining();
      int half = length / 2;
      ByteBuffer first = bytes.duplicate();
      first.limit(half);
      ByteBuffer second = bytes.duplicate();
      second.position(half);
      buffers = new ByteBuffer[] {first, second};
      openLeases.incrementAndGet();
      leasesTaken.incrementAndGet();
    }

    @Override
    public ByteBuffer[] buffers() {
      return buffers;
    }

    @Override
    public int length() {
      return length;
    }

    @Override
    public void close() {
      if (closes.incrementAndGet() == 1) {
        openLeases.decrementAndGet();
      } else {
        closedTwice.incrementAndGet();
      }
    }
  }
}
