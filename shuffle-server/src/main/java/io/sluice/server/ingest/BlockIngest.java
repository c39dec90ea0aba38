package io.sluice.server.ingest;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.server.credit.ConnectionAccount;
import io.sluice.server.lifecycle.ShuffleHandle;
import io.sluice.server.partition.LeasedBlocks;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.quota.QuotaRefusal;
import io.sluice.server.replication.Forwarding;
import io.sluice.transport.ServerLink;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the blocks of one connection, each copied once, and answers for them. On the connection's
 * event loop.
 */
public final class BlockIngest {
  private static final Logger log = LoggerFactory.getLogger(BlockIngest.class);

  private final ConnectionAccount account;
  private final ConnectionChunks chunks;
  private final Answers answers;
  private final PushGate gate;
  private final PartitionSplits splits;
  private final UnheardNews unheard = new UnheardNews();
  private final boolean ofReplicas;
  private final Forwarding forwarding;
  private final DamagedPushes damaged;
  // What a block on its way needs is kept for the next one: one comes at a time.
  private final Whole whole = new Whole();
  private final PartialBlock partial = new PartialBlock();

  /**
   * @param ofReplicas whether another server brings the blocks: they go no further then, and nobody
   *     is asked to take them elsewhere
   */
  public BlockIngest(
      ServerLink link, ConnectionAccount account, IngestParts parts, boolean ofReplicas) {
    this.gate = parts.gate();
    this.ofReplicas = ofReplicas;
    this.splits = ofReplicas ? PartitionSplits.never() : gate.splits();
    this.account = account;
    this.chunks = new ConnectionChunks(parts.arena(), parts.broker(), account);
    this.answers = new Answers(link, account, parts.stats(), ofReplicas);
    this.damaged = new DamagedPushes(link.peer(), log::warn);
    this.forwarding = new Forwarding(parts.replication(), link.executor(), answers);
  }

  /**
   * A whole block; see {@code ServerSession.block}.
   *
   * @throws io.sluice.common.error.SluiceException CREDIT_EXCEEDED
   */
  public void block(
      ShuffleHandle handle, long number, ByteBuffer bytes, int offset, boolean crcMatches) {
    long charge = TransportLimits.charge(BlockHeader.storedLength(bytes, offset));
    account.spend(charge);
    ErrorCode refusal =
        crcMatches
            ? store(handle, number, whole.at(bytes, offset))
            : corrupt(handle, bytes, offset);
    whole.forget();
    answer(handle, number, charge, ConnectionChunks.length(bytes, offset), refusal);
  }

  /** Stores a block unless it is refused. */
  private @Nullable ErrorCode store(ShuffleHandle handle, long number, Arrived block) {
    int partition = block.partition();
    ErrorCode refusal = refusal(handle, partition);
    if (refusal != null) {
      return refusal;
    }
    Shuffle shuffle = handle.forPush();
    if (shuffle == null) {
      return handle.refusal(); // it has gone since
    }
    PartitionBuffer buffer = shuffle.partition(partition);
    if (splits.isDue(handle.key(), partition, buffer.heldBytes())) {
      return ErrorCode.PARTITION_FULL;
    }
    if (!ofReplicas && unheard.isDue(handle.key(), gate.unheard())) {
      answers.unheard();
    }
    LeasedBlocks leases = forwarding.leases(handle, shuffle, number);
    return block.store(buffer, leases) ? null : ErrorCode.UNKNOWN_SHUFFLE;
  }

  /** Why blocks of a partition are refused, or null if they are not. */
  private @Nullable ErrorCode refusal(ShuffleHandle handle, int partition) {
    if (partition >= Shuffle.MAX_PARTITIONS) {
      return ErrorCode.INVALID_ARGUMENT;
    }
    ErrorCode shut = gate.refusal();
    if (shut != null) {
      return shut;
    }
    QuotaRefusal atQuota = handle.refusalToBegin();
    if (atQuota == null) {
      Shuffle shuffle = handle.forPush();
      if (shuffle == null) {
        return handle.refusal();
      }
      atQuota = shuffle.refusal(partition);
    }
    if (atQuota == null) {
      return null;
    }
    answers.explain(atQuota);
    return ErrorCode.QUOTA_EXCEEDED;
  }

  /**
   * The header of a block that comes in parts.
   *
   * @throws io.sluice.common.error.SluiceException CREDIT_EXCEEDED
   */
  public void begin(ShuffleHandle handle, long number, ByteBuffer header, int offset) {
    long charge = TransportLimits.charge(BlockHeader.storedLength(header, offset));
    account.spend(charge);
    partial.begin(handle, number, charge, header, offset);
    if (refusal(handle, partial.partition()) == null) {
      chunks.forBlock(partial);
      partial.add(header, offset, BlockHeader.LENGTH);
    }
  }

  public void part(ByteBuffer bytes, int offset, int length) {
    partial.handle(); // or no block was begun
    partial.add(bytes, offset, length);
  }

  public void end(boolean crcMatches) {
    ShuffleHandle handle = partial.handle();
    ErrorCode refusal = crcMatches ? link() : corrupt(handle, partial.header(), 0);
    if (refusal != null) {
      partial.release();
    }
    partial.end();
    answer(handle, partial.number(), partial.charge(), partial.length(), refusal);
  }

  private @Nullable ErrorCode link() {
    if (!partial.hasMemory()) {
      ErrorCode refusal = refusal(partial.handle(), partial.partition());
      // There was no room when it began, and there is now.
      return refusal == null ? ErrorCode.NO_MEMORY : refusal;
    }
    return store(partial.handle(), partial.number(), partial);
  }

  private void answer(
      ShuffleHandle handle, long number, long charge, int length, @Nullable ErrorCode refusal) {
    if (refusal != null) {
      answers.nacked(number, charge, refusal);
    } else if (handle.others().isEmpty()) {
      answers.acked(number, charge, length);
    } else {
      forwarding.stored(charge);
    }
  }

  private ErrorCode corrupt(ShuffleHandle handle, ByteBuffer bytes, int offset) {
    damaged.tell(handle.key(), () -> BlockHeader.describe(bytes, offset));
    return ErrorCode.CORRUPT_BLOCK;
  }

  /** Sends the answers gathered so far. */
  public void answer() {
    forwarding.send();
    answers.flush();
  }

  /** Drops a half-received block. */
  public void close() {
    forwarding.close();
    partial.release();
    partial.end();
    chunks.close();
  }

  /** A block in the buffer that it was received into, while it is copied. */
  private final class Whole implements Arrived {
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private ByteBuffer bytes = NONE;
    private int offset;

    Whole at(ByteBuffer received, int start) {
      bytes = received;
      offset = start;
      return this;
    }

    /** What it was received into is not kept from the collector while the connection is idle. */
    void forget() {
      bytes = NONE;
    }

    @Override
    public int partition() {
      return BlockHeader.partition(bytes, offset);
    }

    @Override
    public boolean store(PartitionBuffer in, @Nullable LeasedBlocks leases) {
      int length = ConnectionChunks.length(bytes, offset);
      int map = BlockHeader.mapIndex(bytes, offset);
      return in.append(bytes, offset, length, map, chunks, leases);
    }
  }
}
