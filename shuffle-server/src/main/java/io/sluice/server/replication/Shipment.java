package io.sluice.server.replication;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.server.partition.LeasedBlocks;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.push.HandleTable;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** A batch on its way to one member: what was sent, what was answered. On the peer's event loop. */
final class Shipment {
  private final ReplicaBatch batch;
  private final ReplicaMember member;
  private final ReplicaBatch.Carrier carrier;
  private final ReplicaStats stats;
  private long unsentCharge;
  private int sent;
  // Blocks [0, answered) were answered, as were those in answeredBeyond.
  private int answered;
  private @Nullable BitSet answeredBeyond;
  private long firstNumber;
  private boolean settled;
  private HandleTable.@Nullable Handle handle;

  Shipment(
      ReplicaBatch batch, ReplicaMember member, ReplicaBatch.Carrier carrier, ReplicaStats stats) {
    this.batch = batch;
    this.member = member;
    this.carrier = carrier;
    this.stats = stats;
    this.unsentCharge = batch.charge();
    stats.pending(batch.blocks().bytes());
  }

  ReplicaBatch batch() {
    return batch;
  }

  ReplicaMember member() {
    return member;
  }

  /** Whether the batch was told what becomes of it here. */
  boolean isSettled() {
    return settled;
  }

  boolean isFullySent() {
    return sent == batch.blocks().blocks();
  }

  boolean isUnsent() {
    return sent == 0;
  }

  /** Whether every block that was sent has been answered. */
  boolean isAnswered() {
    return answered == sent;
  }

  long unsentCharge() {
    return unsentCharge;
  }

  /** How many of the blocks next in turn a credit covers, if they go out in one frame. */
  int coveredBy(long credit, int frameBytes) {
    LeasedBlocks blocks = batch.blocks();
    long left = credit;
    int bytes = 0;
    int at = sent;
    while (at < blocks.blocks()) {
      left -= charge(at);
      bytes += blocks.size(at);
      if (left < 0 || (bytes > frameBytes && at > sent)) {
        break;
      }
      at++;
    }
    return at - sent;
  }

  private long charge(int block) {
    return TransportLimits.charge(batch.blocks().size(block) - BlockHeader.LENGTH);
  }

  /** What the {@code count} blocks next in turn cost. */
  long charge(int count, int from) {
    long charge = 0;
    for (int block = from; block < from + count; block++) {
      charge += charge(block);
    }
    return charge;
  }

  int sent() {
    return sent;
  }

  HandleTable.@Nullable Handle handle() {
    return handle;
  }

  /** Before the first block leaves. */
  void beginSending(HandleTable.Handle newHandle, long number) {
    handle = newHandle;
    firstNumber = number;
  }

  /** The blocks next in turn; they count as sent. */
  OutgoingData send(int count) {
    unsentCharge -= charge(count, sent);
    OutgoingData piece = batch.blocks().piece(sent, sent + count);
    sent += count;
    return piece;
  }

  /** One past the number of the last block sent on this connection. */
  long endNumber() {
    return firstNumber + sent;
  }

  long firstNumber() {
    return firstNumber;
  }

  /**
   * Some of its blocks were answered.
   *
   * @param from number of the first, which was sent on this connection
   * @param to one past the number of the last
   * @return false if one of them was answered before
   */
  boolean answered(long from, long to, @Nullable ErrorCode refusal) {
    if (!count((int) (from - firstNumber), (int) (to - firstNumber))) {
      return false;
    }
    if (refusal != null) {
      fail(refusal);
    } else if (answered == batch.blocks().blocks() && !settled) {
      settle();
      batch.held(carrier);
    }
    return true;
  }

  private boolean count(int from, int to) {
    BitSet beyond = answeredBeyond;
    if (from < answered) {
      return false;
    }
    if (beyond == null) {
      if (from == answered) {
        answered = to;
        return true;
      }
      beyond = new BitSet(to);
      answeredBeyond = beyond;
    }
    int next = beyond.nextSetBit(from);
    if (next >= 0 && next < to) {
      return false;
    }
    beyond.set(from, to);
    if (from == answered) {
      answered = beyond.nextClearBit(from);
    }
    return true;
  }

  private void settle() {
    settled = true;
    stats.pending(-batch.blocks().bytes());
  }

  /** The member does not take it; harmless if that is known. */
  void fail(ErrorCode why) {
    if (!settled) {
      settle();
      stats.failed(why);
      batch.failed(carrier, member, why);
    }
  }

  /** After the connection was lost: nothing counts as sent. */
  void unsend() {
    sent = 0;
    answered = 0;
    answeredBeyond = null;
    handle = null;
    unsentCharge = batch.charge();
  }

  /** It is in no queue any more. */
  void letGoOfHandle() {
    HandleTable.Handle used = handle;
    if (used != null) {
      handle = null;
      used.release();
    }
  }
}
