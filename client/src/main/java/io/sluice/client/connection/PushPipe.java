package io.sluice.client.connection;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.ClientLink;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.push.CreditWindow;
import io.sluice.transport.push.HandleTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The push half of a connection: frames that wait, frames that are sent but not answered, and the
 * credit between them. Frames leave first in, first out; the head may leave in parts, since credit
 * can be granted in smaller amounts than a frame costs. On the event loop only.
 */
final class PushPipe {
  // One quantum is three full frames of default size: enough that the pipe does not run dry while
  // the answer to a WANT is on its way.
  private static final long WANT_QUANTUM = 1L << 20;
  private static final long LARGEST_WANT = 32L << 20;

  private final HandleTable handles;
  private final CreditWindow credit = new CreditWindow(WANT_QUANTUM, LARGEST_WANT);
  private final Probes probes = new Probes();

  // A partly sent frame is the head of `pending` and the newest of `unanswered`.
  private final ArrayDeque<PushFrame> pending = new ArrayDeque<>();
  private final SentFrames unanswered = new SentFrames(this::add);
  private long pendingCharge;
  // Null until there was a connection; frames that wait for the first have nothing stored.
  private @Nullable ServerIdentity identity;
  private int maxBlockBytes = Integer.MAX_VALUE;

  PushPipe(HandleTable handles) {
    this.handles = handles;
  }

  boolean isIdle() {
    return pending.isEmpty() && unanswered.areAllHollow() && probes.isEmpty();
  }

  boolean hasUnanswered() {
    return unanswered.hasUnanswered();
  }

  void add(PushFrame frame) {
    if (turnsAway(frame)) {
      return;
    }
    if (frame.isProbe()) {
      probes.add(frame);
    } else {
      pending.addLast(frame);
      pendingCharge += frame.unsentCharge();
    }
  }

  /** Sends what credit and socket allow and asks for credit for the rest. */
  void pump(ClientLink link) {
    dropAbandoned();
    probes.answer();
    while (link.isWritable()) {
      PushFrame frame = pending.peekFirst();
      if (frame == null || !send(frame, link)) {
        break;
      }
      if (frame.isFullySent()) {
        pending.removeFirst();
      }
    }
    long want = credit.want(pendingCharge, hasUnanswered());
    if (want > 0) {
      introduce(link);
      link.want(want);
    }
  }

  /** Before the first handle is open the server does not know whose turn a WANT takes. */
  private void introduce(ClientLink link) {
    PushFrame head = pending.peekFirst();
    HandleTable.Handle handle =
        head == null || !handles.isEmpty() ? null : acquire(head.owner(), link);
    if (handle != null) {
      handle.release();
    }
  }

  private HandleTable.@Nullable Handle acquire(PushOwner owner, ClientLink link) {
    return handles.acquire(owner.shuffle(), owner.server().incarnation(), owner.others(), link);
  }

  private boolean send(PushFrame frame, ClientLink link) {
    int count = frame.coveredBy(credit.available());
    if (count == 0) {
      return false;
    }
    HandleTable.Handle handle = frame.handle();
    if (handle == null) {
      handle = acquire(frame.owner(), link);
      if (handle == null) {
        // All that the server allows are in use: the next answers end some of that.
        return false;
      }
      unanswered.begin(frame, handle);
    }
    long charge = frame.charge(count);
    if (!credit.take(charge)) {
      throw new IllegalStateException("credit was checked for " + charge + " bytes");
    }
    pendingCharge -= charge;
    ByteBuf blocks = frame.send(count);
    unanswered.sent(count);
    link.push(handle.number(), count, blocks);
    return true;
  }

  /** Drops frames at the head that nobody waits for; those behind have their turn later. */
  void dropAbandoned() {
    PushFrame frame;
    while ((frame = pending.peekFirst()) != null && frame.owner().abandoned()) {
      pending.removeFirst();
      drop(frame);
    }
  }

  /** Drops every unsent frame that nobody waits for. */
  void dropAllAbandoned() {
    probes.dropAbandoned();
    for (Iterator<PushFrame> all = pending.iterator(); all.hasNext(); ) {
      PushFrame frame = all.next();
      if (frame.owner().abandoned()) {
        all.remove();
        drop(frame);
      }
    }
  }

  /** Of a frame just taken from {@link #pending}. */
  private void drop(PushFrame frame) {
    pendingCharge -= frame.unsentCharge();
    if (frame.isUnsent()) {
      frame.release();
    } else {
      unanswered.cut(frame);
    }
  }

  // ------------------------------------------------------------------------------------ answers

  /**
   * Blocks are stored.
   *
   * @throws SluiceException UNEXPECTED_FRAME if one was not sent or was answered before
   */
  void acked(long first, int count, long refund) {
    credit.refund(refund);
    unanswered.answered(first, count, null);
  }

  /** Blocks are refused. */
  void nacked(long first, int count, long refund, ErrorCode code) {
    credit.refund(refund);
    unanswered.answered(first, count, code);
  }

  /** As {@link SentFrames#explained}. */
  void explained(ErrorCode code, String why) {
    unanswered.explained(code, why);
  }

  /** As {@link SentFrames#replicasFailed}. */
  void replicasFailed(List<FailedReplica> failed) {
    unanswered.replicasFailed(failed);
  }

  // ------------------------------------------------------------------------------------- credit

  void granted(long bytes) {
    credit.granted(bytes);
  }

  /**
   * The server has no credit to give. Without anything in flight that is the end of what waits,
   * unless the server is leaving, and what waits will be sent when it is back.
   */
  void wantRefused(ErrorCode code, boolean leaving) {
    credit.refused();
    PushFrame head = pending.peekFirst();
    if (!leaving && head != null && !hasUnanswered() && head.coveredBy(credit.available()) == 0) {
      handBackPending(code, "has no room for more blocks");
      failPending(code, "has no room for more blocks");
    }
  }

  boolean hasSpareCredit() {
    return credit.aboveSeed() > 0;
  }

  /** Gives up to so many bytes of credit back that is of no use here. */
  void giveUpCredit(long upTo, ClientLink link) {
    PushFrame head = pending.peekFirst();
    boolean sendable = head != null && head.coveredBy(credit.available()) > 0;
    long spare = credit.giveUp(pendingCharge, sendable, upTo);
    if (spare > 0) {
      link.returnCredit(spare);
    }
  }

  // ------------------------------------------------------------------------- coming and going

  /** A connection is there; what was sent on an earlier one must have been unsent. */
  void connected(long seed, ServerIdentity newIdentity, int newMaxBlockBytes) {
    unanswered.connected();
    credit.reset(seed);
    identity = newIdentity;
    maxBlockBytes = newMaxBlockBytes;
    for (Iterator<PushFrame> all = pending.iterator(); all.hasNext(); ) {
      PushFrame frame = all.next();
      long charge = frame.unsentCharge();
      if (turnsAway(frame)) {
        all.remove();
        pendingCharge -= charge;
      }
    }
    probes.forEach(this::turnsAway);
    dropAllAbandoned();
  }

  /**
   * Whether the server, as far as it is known, cannot take an unsent frame, which was handed back
   * then. One that can go nowhere else fails its owner.
   */
  private boolean turnsAway(PushFrame frame) {
    PushOwner owner = frame.owner();
    if (owner.abandoned()) {
      return false;
    }
    if (frame.largestBlock() > maxBlockBytes) {
      Refusals.fail(
          frame, ErrorCode.BLOCK_TOO_LARGE, "takes blocks of at most " + maxBlockBytes + " bytes");
    } else if (isGone(owner.server().incarnation())) {
      if (owner.hasAcked()) {
        Refusals.fail(frame, ErrorCode.DATA_LOST, "is now " + identity + " and has lost blocks");
      } else if (Refusals.mayMove(frame, ErrorCode.STALE_INCARNATION)) {
        Refusals.handBack(frame, ErrorCode.STALE_INCARNATION, "is now " + identity);
        return true;
      }
    }
    return false;
  }

  /** Whether a life of the server is over, and what it had is not there any more. */
  private boolean isGone(long incarnation) {
    return identity != null
        && incarnation <= identity.incarnation()
        && !identity.keeps(incarnation);
  }

  /** The connection is gone: what was not answered must be sent again, in the same order. */
  void disconnected() {
    PushFrame head = pending.peekFirst();
    if (head != null && unanswered.isNewest(head)) {
      pending.removeFirst();
      pendingCharge -= head.unsentCharge();
    }
    PushFrame frame;
    while ((frame = unanswered.takeNewest()) != null) {
      pending.addFirst(frame);
      pendingCharge += frame.unsentCharge();
    }
    dropAllAbandoned();
  }

  /** Hands back what has not left, or not wholly, and can go elsewhere. */
  void handBackPending(ErrorCode code, String what) {
    List<PushFrame> returned = new ArrayList<>();
    for (Iterator<PushFrame> all = pending.iterator(); all.hasNext(); ) {
      PushFrame frame = all.next();
      if (Refusals.mayMove(frame, code)) {
        all.remove();
        pendingCharge -= frame.unsentCharge();
        returned.add(unanswered.takeOut(frame));
      }
    }
    returned.forEach(frame -> Refusals.handBack(frame, code, what));
  }

  /** Hands back everything that can go elsewhere; what was sent may be stored all the same. */
  void handBackAll(ErrorCode code, String what) {
    handBackPending(code, what);
    unanswered.takeOutAll(code).forEach(frame -> Refusals.handBack(frame, code, what));
  }

  /** Gives up everything. Only while there is no connection, or when it is about to be aborted. */
  void failAll(ErrorCode code, String what) {
    disconnected();
    failPending(code, what);
    probes.fail(code, what);
  }

  private void failPending(ErrorCode code, String what) {
    List<PushFrame> frames = new ArrayList<>(pending);
    pending.clear();
    // With nothing in flight this can only hold the head of `pending`, sent in part.
    unanswered.clear();
    pendingCharge = 0;
    for (PushFrame frame : frames) {
      if (!frame.owner().abandoned()) {
        Refusals.fail(frame, code, what);
      }
    }
    for (PushFrame frame : frames) {
      frame.release();
    }
  }
}
