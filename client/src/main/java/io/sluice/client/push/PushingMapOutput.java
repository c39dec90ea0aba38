package io.sluice.client.push;

import io.sluice.client.ClientConfig;
import io.sluice.client.MapOutput;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.connection.PushFrame;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A map output that writes each block in place into the open frame of the partition's server, and
 * hands full frames to that server's connection.
 *
 * <p>Memory: half of {@link ClientConfig#maxInFlightBytes} is for open frames, half for frames on
 * their way. With more servers than open frames fit, the frame opened longest ago is sent half
 * full.
 */
public final class PushingMapOutput implements MapOutput {
  private final ShufflePlacement placement;
  private final List<PlacedServer> servers;
  private final int mapIndex;
  private final long attemptId;
  private final ConnectionPool connections;
  private final PushContext context;
  private final InFlight inFlight;
  private final int epoch;

  private final Crc32c crc = new Crc32c();
  private final PartitionTails tails;
  private final long[] lengths;
  private final @Nullable ServerLane[] lanes;
  private final ArrayDeque<ServerLane> openLanes = new ArrayDeque<>();
  private long openBytes;

  // The block begun last.
  private int partition = -1;
  private int room;
  private @Nullable PushFrame frame;
  private boolean finished;

  /**
   * An output of one attempt.
   *
   * @throws SluiceException INVALID_ARGUMENT if the placement has replicas, which are not supported
   *     yet
   */
  public PushingMapOutput(
      ShufflePlacement placement,
      int mapIndex,
      long attemptId,
      ConnectionPool connections,
      PushContext context) {
    this.placement = placement;
    this.servers = placement.servers();
    this.mapIndex = mapIndex;
    this.attemptId = attemptId;
    this.connections = connections;
    this.context = context;
    this.inFlight = new InFlight(context.signals().create(), context.clock());
    this.epoch = placement.epochs() - 1;
    this.tails = new PartitionTails(placement.partitions());
    this.lengths = new long[placement.partitions()];
    this.lanes = new ServerLane[servers.size()];
    if (placement.replicas(epoch) != 1) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "shuffle "
              + placement.shuffle()
              + " has "
              + placement.replicas(epoch)
              + " replicas; this client writes one");
    }
  }

  @Override
  public ByteBuffer beginBlock(int blockPartition, int maxStoredLength)
      throws InterruptedException {
    if (maxStoredLength < 0 || maxStoredLength > maxBlockBytes()) {
      throw new SluiceException(
          ErrorCode.BLOCK_TOO_LARGE,
          "a block of " + maxStoredLength + " bytes; the limit is " + maxBlockBytes());
    }
    requireOpen();
    tails.checkNotEnded(blockPartition);
    inFlight.check();
    ServerLane lane = lane(blockPartition);
    PushFrame open = lane.open();
    int needed = BlockHeader.LENGTH + maxStoredLength;
    if (open == null || open.capacity() - open.length() < needed) {
      open = openFrame(lane, needed);
    }
    partition = blockPartition;
    room = maxStoredLength;
    frame = open;
    int start = open.length() + BlockHeader.LENGTH;
    ByteBuffer bytes = open.bytes();
    bytes.limit(start + maxStoredLength).position(start);
    ByteBuffer payload = bytes.slice();
    bytes.clear();
    return payload;
  }

  private ServerLane lane(int blockPartition) {
    int index = placement.server(epoch, blockPartition, 0);
    ServerLane lane = lanes[index];
    if (lane == null) {
      PlacedServer server = servers.get(index);
      lane =
          new ServerLane(
              placement.shuffle(), server, connections.get(server, placement.shuffle()), inFlight);
      lanes[index] = lane;
    }
    return lane;
  }

  private PushFrame openFrame(ServerLane lane, int needed) throws InterruptedException {
    if (lane.open() != null) {
      send(lane);
    }
    long half = context.config().maxInFlightBytes() / 2;
    int size = Math.max(context.config().frameBytes(), needed);
    while (openBytes > 0 && openBytes + size > half) {
      send(openLanes.getFirst());
    }
    inFlight.awaitAtMost(half, half / 4 * 3);
    PushFrame opened = new PushFrame(context.allocator().directBuffer(size, size), lane);
    lane.open(opened);
    openLanes.addLast(lane);
    openBytes += opened.capacity();
    return opened;
  }

  private void send(ServerLane lane) {
    PushFrame open = lane.open();
    if (open != null) {
      openBytes -= open.capacity();
      openLanes.remove(lane);
      lane.send();
    }
  }

  @Override
  public void endBlock(int storedLength, int rawLength, int recordCount, int flags) {
    PushFrame open = begun();
    if (storedLength < 0 || storedLength > room) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "a block of " + storedLength + " bytes in room for " + room);
    }
    int allFlags = tails.flags(partition, flags);
    BlockHeader.write(
        open.bytes(),
        open.length(),
        allFlags,
        partition,
        mapIndex,
        attemptId,
        tails.sequence(partition),
        rawLength,
        storedLength,
        recordCount);
    BlockHeader.seal(open.bytes(), open.length(), crc);
    open.added(storedLength);
    tails.added(partition, allFlags);
    lengths[partition] += BlockHeader.LENGTH + storedLength;
    partition = -1;
  }

  @Override
  public void cancelBlock() {
    begun();
    partition = -1;
  }

  private PushFrame begun() {
    PushFrame open = frame;
    if (partition < 0 || open == null) {
      throw new IllegalStateException("no block was begun");
    }
    frame = null;
    return open;
  }

  private void requireOpen() {
    if (finished) {
      throw new IllegalStateException("the map output is finished or closed");
    }
    if (partition >= 0) {
      throw new IllegalStateException("a block is begun and not ended");
    }
  }

  @Override
  public void flush() {
    ServerLane lane;
    while ((lane = openLanes.peekFirst()) != null) {
      send(lane);
    }
  }

  @Override
  public void finish() throws InterruptedException {
    requireOpen();
    for (int p = 0; p < tails.partitions(); p++) {
      if (tails.isUnended(p)) {
        if (tails.hasOpenRecord(p)) {
          throw new SluiceException(
              ErrorCode.INVALID_ARGUMENT, "partition " + p + " ends inside a record");
        }
        beginBlock(p, 0);
        endBlock(0, 0, 0, BlockHeader.LAST);
      }
    }
    flush();
    inFlight.awaitAtMost(0, 0);
    checkServersRemain();
    finished = true;
  }

  /** What a server acknowledged and lost since is noticed here, not by the first reader. */
  private void checkServersRemain() throws InterruptedException {
    for (ServerLane lane : lanes) {
      if (lane != null && lane.needsProbe()) {
        lane.probe(new PushFrame(context.allocator().directBuffer(1, 1), lane));
      }
    }
    inFlight.awaitAtMost(0, 0);
    for (ServerLane lane : lanes) {
      if (lane != null && lane.hasLostBlocks()) {
        throw new SluiceException(
            ErrorCode.DATA_LOST,
            "server "
                + lane.server()
                + " has restarted since it stored blocks of map "
                + mapIndex
                + ", attempt "
                + attemptId
                + ", shuffle "
                + placement.shuffle());
      }
    }
  }

  @Override
  public long[] partitionLengths() {
    return lengths;
  }

  @Override
  public long waitNanos() {
    return inFlight.waitNanos();
  }

  @Override
  public int maxBlockBytes() {
    return context.config().maxBlockBytes();
  }

  @Override
  public void close() {
    partition = -1;
    frame = null;
    if (finished) {
      return;
    }
    finished = true;
    inFlight.abandon();
    openLanes.clear();
    for (ServerLane lane : lanes) {
      if (lane != null) {
        lane.abandon();
      }
    }
  }
}
