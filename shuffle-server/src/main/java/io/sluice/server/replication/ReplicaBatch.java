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
 * may be later: the client's credit does not cover what is kept from then on, so it is counted.
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

  /** The way to one member. Any thread. */
  interface Carrier {
    /**
     * A batch that was decided waits for this member alone, or does no more. With the batch's
     * monitor held: counts, and does nothing else.
     *
     * @param bytes of its blocks, negative when it waits no more
     */
    void kept(long bytes);

    /** More is kept than before; without any monitor. */
    void keptMore();
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
  private final List<Carrier> waiting = new ArrayList<>(ReplicaMember.MAX_OTHERS);

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

  /** It is on its way to a member, which will {@link #held hold} or {@link #failed refuse} it. */
  void carriedBy(Carrier carrier) {
    synchronized (this) {
      waiting.add(carrier);
      if (decided) {
        carrier.kept(blocks.bytes());
      }
    }
  }

  /** A member holds it. One of this and {@link #failed}, once for each member. */
  void held(Carrier by) {
    boolean enough;
    boolean last;
    List<Carrier> late = List.of();
    synchronized (this) {
      arrived(by);
      holding++;
      enough = !decided && holding == required;
      if (enough) {
        late = decide();
      }
      last = isAnsweredByAll();
    }
    if (enough) {
      owner.held(this);
    }
    end(last, late);
  }

  /** A member that it was on its way to does not take it. */
  void failed(Carrier by, ReplicaMember member, ErrorCode why) {
    synchronized (this) {
      arrived(by);
    }
    failed(member, why);
  }

  /** A member that it was not even sent to does not take it. */
  void failed(ReplicaMember member, ErrorCode why) {
    List<FailedReplica> verdict = null;
    boolean last;
    List<Carrier> late = List.of();
    synchronized (this) {
      failed.add(new FailedReplica(member.id(), why));
      if (!decided && members.size() - failed.size() < required) {
        late = decide();
        verdict = List.copyOf(failed);
      }
      last = isAnsweredByAll();
    }
    if (verdict != null) {
      owner.failed(this, verdict);
    }
    end(last, late);
  }

  private void end(boolean last, List<Carrier> late) {
    if (last) {
      blocks.close();
    }
    late.forEach(Carrier::keptMore);
  }

  /** With the monitor held. */
  private void arrived(Carrier by) {
    waiting.remove(by);
    if (decided) {
      by.kept(-blocks.bytes());
    }
  }

  /** The client is about to be told; for whom the blocks are kept still. With the monitor held. */
  private List<Carrier> decide() {
    decided = true;
    waiting.forEach(carrier -> carrier.kept(blocks.bytes()));
    return List.copyOf(waiting);
  }

  /** True for one answer only, whose thread lets the blocks go. With the monitor held. */
  private boolean isAnsweredByAll() {
    return holding + failed.size() == members.size();
  }
}
