package io.sluice.server.replication;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.partition.LeasedBlocks;
import io.sluice.server.partition.Shuffle;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ReplicaMember;
import java.util.ArrayList;
import java.util.List;

/**
 * Blocks that came over one connection one after another and go to the same members. Decided once:
 * when enough members hold it, or can no more. The leases end when every member has answered, which
 * is later if a majority is enough.
 *
 * <p>Filled on the event loop of the connection that brought the blocks. Thread-safe from the
 * moment it is handed on, by its monitor, which is a leaf; the owner is told after it is left.
 */
final class ReplicaBatch {
  /** Who brought the blocks. Any thread. */
  interface Owner {
    /** Enough members hold the blocks. */
    void held(ReplicaBatch batch);

    /** Too few members will ever hold the blocks. */
    void failed(ReplicaBatch batch, List<FailedReplica> failed);
  }

  private final Shuffle shuffle;
  private final List<ReplicaMember> members;
  private final int required;
  private final long firstNumber;
  private final Owner owner;
  private final LeasedBlocks blocks = new LeasedBlocks();
  private long charge;

  // Guarded by this.
  private int holding;
  private boolean decided;
  private final List<FailedReplica> failed = new ArrayList<>(0);

  /**
   * @param members to whom it goes, at least one
   * @param firstNumber of its first block, on the connection that brings it
   */
  ReplicaBatch(
      Shuffle shuffle, List<ReplicaMember> members, AckRule rule, long firstNumber, Owner owner) {
    this.shuffle = shuffle;
    this.members = members;
    this.required = rule.needed(members.size());
    this.firstNumber = firstNumber;
    this.owner = owner;
  }

  Shuffle shuffle() {
    return shuffle;
  }

  List<ReplicaMember> members() {
    return members;
  }

  LeasedBlocks blocks() {
    return blocks;
  }

  long firstNumber() {
    return firstNumber;
  }

  /** What all its blocks cost on the connection that brought them. */
  long charge() {
    return charge;
  }

  /** The block whose leases were taken last is part of it. */
  void added(long blockCharge) {
    charge += blockCharge;
  }

  /** A member holds it. One of this and {@link #failed}, once for each member. */
  void held() {
    boolean enough;
    boolean last;
    synchronized (this) {
      holding++;
      enough = !decided && holding == required;
      decided |= enough;
      last = isAnsweredByAll();
    }
    if (enough) {
      owner.held(this);
    }
    if (last) {
      blocks.close();
    }
  }

  /** A member does not take it. */
  void failed(ReplicaMember member, ErrorCode why) {
    List<FailedReplica> verdict = null;
    boolean last;
    synchronized (this) {
      failed.add(new FailedReplica(member.id(), why));
      if (!decided && members.size() - failed.size() < required) {
        decided = true;
        verdict = List.copyOf(failed);
      }
      last = isAnsweredByAll();
    }
    if (verdict != null) {
      owner.failed(this, verdict);
    }
    if (last) {
      blocks.close();
    }
  }

  /** True for one answer only, whose thread lets the blocks go. With the monitor held. */
  private boolean isAnsweredByAll() {
    return holding + failed.size() == members.size();
  }
}
