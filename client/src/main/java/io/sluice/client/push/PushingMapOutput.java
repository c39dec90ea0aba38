package io.sluice.client.push;

import io.sluice.client.MapOutput;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.connection.PushFrame;
import io.sluice.client.placement.Placements;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.error.Advice;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A map output that writes each block in place into the open frame of the partition's server, and
 * hands full frames to that server's connection. Frames that come back go elsewhere at the next
 * occasion: when a block begins, when it waits, when it finishes.
 */
public final class PushingMapOutput implements MapOutput {
  private final int mapIndex;
  private final long attemptId;
  private final PushContext context;
  private final ConnectionPool connections;
  private final InFlight inFlight;
  private final Routes routes;
  private final OpenFrames open;
  private final Rerouting rerouting;

  private final Crc32c crc = new Crc32c();
  private final PartitionTails tails;
  private final long[] lengths;

  // The block begun last.
  private int partition = -1;
  private int room;
  private @Nullable PushFrame frame;
  private boolean finished;

  /** An output of one attempt. */
  public PushingMapOutput(
      ShufflePlacement placement,
      int mapIndex,
      long attemptId,
      ConnectionPool connections,
      PushContext context) {
    this.mapIndex = mapIndex;
    this.attemptId = attemptId;
    this.context = context;
    this.connections = connections;
    Placements placements = context.placements();
    this.inFlight = new InFlight(context.signals().create(), context.clock());
    this.routes = new Routes(placement, placements, connections, inFlight);
    this.open = new OpenFrames(context, inFlight, routes);
    this.rerouting = new Rerouting(context, inFlight, routes, open);
    this.tails = new PartitionTails(placement.partitions());
    this.lengths = new long[placement.partitions()];
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
    PushFrame into = null;
    while (into == null) {
      if (inFlight.hasReturned()) {
        rerouting.run();
      }
      into = open.room(routes.lane(blockPartition), BlockHeader.LENGTH + maxStoredLength);
    }
    partition = blockPartition;
    room = maxStoredLength;
    frame = into;
    int start = into.length() + BlockHeader.LENGTH;
    ByteBuffer bytes = into.bytes();
    bytes.limit(start + maxStoredLength).position(start);
    ByteBuffer payload = bytes.slice();
    bytes.clear();
    return payload;
  }

  @Override
  public void endBlock(int storedLength, int rawLength, int recordCount, int flags) {
    PushFrame into = begun();
    if (storedLength < 0 || storedLength > room) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "a block of " + storedLength + " bytes in room for " + room);
    }
    int allFlags = tails.flags(partition, flags);
    BlockHeader.write(
        into.bytes(),
        into.length(),
        allFlags,
        partition,
        mapIndex,
        attemptId,
        tails.sequence(partition),
        rawLength,
        storedLength,
        recordCount);
    BlockHeader.seal(into.bytes(), into.length(), crc);
    into.added(storedLength);
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
    PushFrame begun = frame;
    if (partition < 0 || begun == null) {
      throw new IllegalStateException("no block was begun");
    }
    frame = null;
    return begun;
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
    open.sendAll();
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
    while (!inFlight.awaitAtMost(0, 0)) {
      rerouting.run();
      flush();
    }
    checkServersRemain();
    finished = true;
  }

  /**
   * What a server acknowledged and lost since is noticed here, not by the first reader. One that is
   * away is waited for, since it may have been stopped in order and have everything.
   */
  private void checkServersRemain() throws InterruptedException {
    for (ServerLane lane : routes.lanes()) {
      if (lane.needsProbe() && !lane.isReplicated()) {
        lane.probe(new PushFrame(context.allocator().directBuffer(1, 1), lane, routes.epochs()));
      }
    }
    try {
      // Probes do not come back.
      inFlight.awaitOthers(0, 0);
    } catch (SluiceException unreachable) {
      ErrorCode code = unreachable.code();
      if (code.advice() == Advice.ABORT || code.blame() == Blame.CAPACITY) {
        throw unreachable;
      }
      throw new SluiceException(
          ErrorCode.DATA_LOST,
          "blocks of " + attempt() + " may be lost: " + unreachable.getMessage(),
          unreachable);
    }
    for (ServerLane lane : routes.lanes()) {
      if (lane.isReplicated()) {
        checkSetRemains(lane);
      } else if (lane.hasLostBlocks()) {
        throw new SluiceException(
            ErrorCode.DATA_LOST,
            "server " + lane.server() + " has lost since what it stored of " + attempt());
      }
    }
  }

  private void checkSetRemains(ServerLane lane) throws InterruptedException {
    if (!lane.hasStored()) {
      return;
    }
    InFlight.Answer<Boolean> proof =
        inFlight.await(SetProof.of(lane, connections, inFlight, context.allocator()));
    if (!Boolean.TRUE.equals(proof.value())) {
      throw new SluiceException(
          ErrorCode.DATA_LOST,
          "none of " + lane.members() + " can show that it has what it stored of " + attempt());
    }
  }

  private String attempt() {
    return "map "
        + mapIndex
        + ", attempt "
        + attemptId
        + ", shuffle "
        + routes.placement().shuffle();
  }

  @Override
  public int firstEpoch() {
    return routes.firstEpoch();
  }

  @Override
  public int lastEpoch() {
    return routes.epochs() - 1;
  }

  @Override
  public boolean majorityEnough() {
    return routes.lanes().stream().anyMatch(ServerLane::majorityEnough);
  }

  @Override
  public BitSet storedOn() {
    return routes.storedOn();
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
    rerouting.close();
    inFlight.close();
    routes.lanes().forEach(ServerLane::abandon);
  }
}
