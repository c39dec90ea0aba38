package io.sluice.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerLink;
import io.sluice.transport.ServerSession;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.TestBlocks;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Measures push and fetch over loopback, one connection and one event loop a side: GB/s, and cpu
 * seconds per GB of each side's event loop. Arguments: block bytes, GB per case. Not a test: run it
 * by hand, alone on the machine.
 */
public final class DataPlaneThroughput {
  private static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(1, 2), 3);
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(4, 5), 6, 0);
  private static final int FRAME_BYTES = 1 << 20;
  private static final long WINDOW = 8L << 20;
  private static final int RING_BYTES = 256 << 20;

  private DataPlaneThroughput() {}

  public static void main(String[] arguments) throws Exception {
    int blockBytes = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64 * 1024;
    long bytes = (arguments.length > 1 ? Long.parseLong(arguments[1]) : 8) << 30;
    for (boolean crc : new boolean[] {false, true}) {
      for (boolean copy : new boolean[] {false, true}) {
        run("push" + (crc ? " crc" : "") + (copy ? " copy" : ""), blockBytes, crc, copy, bytes);
      }
    }
    run("fetch", blockBytes, true, false, bytes);
  }

  private static void run(String name, int blockBytes, boolean crc, boolean copy, long bytes)
      throws Exception {
    PooledByteBufAllocator alloc = new PooledByteBufAllocator(true);
    try (EventLoops serverLoops = EventLoops.open("server", 1, alloc, Clock.system());
        EventLoops clientLoops = EventLoops.open("client", 1, alloc, Clock.system());
        NettyServer server =
            NettyServer.bind(
                serverLoops,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ServerSettings(
                    () -> IDENTITY,
                    ServerAuthenticator.none(),
                    ConnectionLimits.of(8, TransportLimits.MAX_BLOCK_BYTES),
                    ConnectionTimeouts.defaults(),
                    crc),
                (peer, link) -> new ServerSessionFactory.Accepted(new Sink(link, copy), WINDOW))) {
      Source source = new Source(alloc, blockBytes, name.equals("fetch"));
      new NettyConnector(
              clientLoops,
              new ClientSettings(
                  new UUID(1, 1), ClientAuthenticator.none(), ConnectionTimeouts.defaults()),
              Runnable::run)
          .connect("127.0.0.1", server.address().getPort(), IDENTITY.id(), source);
      source.run(bytes / 4);
      long serverCpu = cpuNanos(serverLoops);
      long clientCpu = cpuNanos(clientLoops);
      long started = Clock.system().nanoTime();
      source.run(bytes);
      long wall = Clock.system().nanoTime() - started;
      serverCpu = cpuNanos(serverLoops) - serverCpu;
      clientCpu = cpuNanos(clientLoops) - clientCpu;
      System.out.printf(
          Locale.ROOT,
          "%-16s %7d B blocks: %5.2f GB/s, cpu-s/GB client %.3f server %.3f%n",
          name,
          blockBytes,
          (double) bytes / wall,
          (double) clientCpu / bytes,
          (double) serverCpu / bytes);
      source.close();
    }
  }

  private static long cpuNanos(EventLoops loops) throws Exception {
    CompletableFuture<Long> cpu = new CompletableFuture<>();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    loops.next().execute(() -> cpu.complete(threads.getCurrentThreadCpuTime()));
    return cpu.get();
  }

  /** Acknowledges everything; copies blocks once into a ring larger than the caches if asked. */
  private static final class Sink implements ServerSession {
    private final ServerLink link;
    private final ByteBuffer ring;
    private final boolean copy;
    private int position;
    private long number;
    private long charge;
    private int stream = -1;
    private long credit;
    private long remaining;
    private long sent;

    Sink(ServerLink link, boolean copy) {
      this.link = link;
      this.copy = copy;
      this.ring = ByteBuffer.allocateDirect(RING_BYTES);
      for (int i = 0; i < RING_BYTES; i += 4096) {
        ring.put(i, (byte) i);
      }
    }

    private void take(ByteBuffer bytes, int offset, int length) {
      if (!copy) {
        return;
      }
      if (position + length > RING_BYTES) {
        position = 0;
      }
      int before = bytes.position();
      int limit = bytes.limit();
      bytes.limit(offset + length).position(offset);
      ring.position(position);
      ring.put(bytes);
      bytes.limit(limit).position(before);
      position += length;
    }

    @Override
    public void open(
        int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {}

    @Override
    public void release(int handle) {}

    @Override
    public void block(int handle, long block, ByteBuffer bytes, int offset, boolean matches) {
      int stored = BlockHeader.storedLength(bytes, offset);
      take(bytes, offset, BlockHeader.LENGTH + stored);
      stored(block, stored, matches);
    }

    private void stored(long block, int length, boolean matches) {
      if (!matches) {
        throw new SluiceException(ErrorCode.CORRUPT_BLOCK, "loopback");
      }
      link.ack(block, 1, TransportLimits.charge(length));
    }

    @Override
    public void blockBegin(int handle, long block, ByteBuffer header, int offset) {
      number = block;
      charge = BlockHeader.storedLength(header, offset);
      take(header, offset, BlockHeader.LENGTH);
    }

    @Override
    public void blockPart(ByteBuffer bytes, int offset, int length) {
      take(bytes, offset, length);
    }

    @Override
    public void blockEnd(boolean matches) {
      stored(number, (int) charge, matches);
    }

    @Override
    public void want(long bytes) {}

    @Override
    public void creditReturned(long bytes) {}

    @Override
    public void fetch(FetchRequest request) {
      stream = request.stream();
      credit = request.credit();
      remaining = (long) request.endMap() << 20;
      sent = 0;
      send();
    }

    private void send() {
      int chunk = TransportLimits.MAX_DATA_BYTES;
      while (remaining > 0 && credit >= chunk && link.isWritable()) {
        if (position + chunk > RING_BYTES) {
          position = 0;
        }
        link.data(stream, 0, new Piece(ring.slice(position, chunk)));
        position += chunk;
        credit -= chunk;
        remaining -= chunk;
        sent += chunk;
      }
      if (remaining == 0 && stream >= 0) {
        link.streamEnd(stream, 1, sent);
        stream = -1;
      }
    }

    @Override
    public void fetchCredit(int of, long bytes) {
      credit += bytes;
    }

    @Override
    public void fetchCancel(int of) {}

    @Override
    public void damaged(int of, DamagedBlock block) {}

    @Override
    public void writable() {
      send();
    }

    @Override
    public void readComplete() {
      send();
    }

    @Override
    public void closed() {}
  }

  private record Piece(ByteBuffer slice) implements OutgoingData {
    @Override
    public ByteBuffer[] buffers() {
      return new ByteBuffer[] {slice};
    }

    @Override
    public int length() {
      return slice.remaining();
    }

    @Override
    public void close() {}
  }

  /** Pushes or fetches a given number of bytes at a time. */
  private static final class Source implements ClientSession {
    private final CompletableFuture<ClientLink> link = new CompletableFuture<>();
    private final ByteBuf[] frames = new ByteBuf[8];
    private final boolean fetch;
    private final int blocksPerFrame;
    private final long chargePerFrame;
    private volatile CompletableFuture<Void> done = new CompletableFuture<>();
    private long credit;
    private long toSend;
    private long unacked;
    private int next;
    private int streams;
    private long toRefill;

    Source(PooledByteBufAllocator alloc, int blockBytes, boolean fetch) {
      this.fetch = fetch;
      this.blocksPerFrame = Math.max(1, FRAME_BYTES / blockBytes);
      this.chargePerFrame = blocksPerFrame * TransportLimits.charge(blockBytes);
      for (int f = 0; f < frames.length; f++) {
        byte[][] blocks = new byte[blocksPerFrame][];
        for (int i = 0; i < blocksPerFrame; i++) {
          blocks[i] = TestBlocks.block(i, f, 0, blockBytes);
        }
        frames[f] = TestBlocks.concat(alloc, blocks);
      }
    }

    void run(long bytes) throws Exception {
      done = new CompletableFuture<>();
      ClientLink connected = link.get();
      connected.executor().execute(() -> begin(connected, bytes));
      done.get();
    }

    private void begin(ClientLink connected, long bytes) {
      if (fetch) {
        connected.fetch(new FetchRequest(streams++, 0, 0, 1, 0, (int) (bytes >> 20), WINDOW));
      } else {
        toSend = bytes;
        send(connected);
      }
      connected.flush();
    }

    private void send(ClientLink connected) {
      while (toSend > 0 && credit >= chargePerFrame && connected.isWritable()) {
        ByteBuf frame = frames[next++ % frames.length];
        connected.push(0, blocksPerFrame, frame);
        credit -= chargePerFrame;
        unacked += blocksPerFrame;
        toSend -= frame.readableBytes();
      }
      if (toSend <= 0 && unacked == 0) {
        done.complete(null);
      }
    }

    @Override
    public void connected(ClientLink connected, ServerIdentity server, long seed, int maxBlock) {
      credit = seed;
      connected.open(0, SHUFFLE, 3);
      connected.flush();
      link.complete(connected);
    }

    @Override
    public void acked(long first, int count, long refund) {
      credit += refund;
      unacked -= count;
    }

    @Override
    public void readComplete() {
      if (toRefill >= WINDOW / 4) {
        link.join().fetchCredit(streams - 1, toRefill);
        toRefill = 0;
      }
      if (!fetch && link.isDone()) {
        send(link.join());
      }
    }

    @Override
    public void writable() {
      send(link.join());
    }

    @Override
    public void data(int stream, int partition, ByteBuffer bytes, int offset, int length) {
      toRefill += length;
    }

    @Override
    public void streamEnded(int stream, long blocks, long bytes) {
      toRefill = 0;
      done.complete(null);
    }

    @Override
    public void nacked(long first, int count, long refund, ErrorCode code) {}

    @Override
    public void granted(long bytes) {}

    @Override
    public void wantRefused(ErrorCode code) {}

    @Override
    public void reclaimed(long bytes) {}

    @Override
    public void streamFailed(int stream, ErrorCode code, String message) {}

    @Override
    public void closed(SluiceException cause) {
      done.completeExceptionally(cause);
    }

    void close() {
      for (ByteBuf frame : frames) {
        frame.release();
      }
    }
  }
}
