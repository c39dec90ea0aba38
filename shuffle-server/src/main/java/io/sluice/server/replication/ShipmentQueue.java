package io.sluice.server.replication;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.server.fair.TurnQueue;
import io.sluice.transport.ClientLink;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.push.CreditWindow;
import io.sluice.transport.push.HandleTable;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Shipments to one member that wait and that are sent but not answered, and the credit between
 * them. Applications take turns, by bytes; within one it is first in, first out. One that has begun
 * to leave, in parts, leaves wholly before the next. On the peer's event loop.
 */
final class ShipmentQueue {
  private static final int FRAME_BYTES = 256 << 10;

  // A quantum is four frames; the most is what the pipe to one peer can hold with room to spare
  // (10 Gbit/s and 0.5 ms are 625 kB), so that no peer takes the reserve of another one's.
  private static final long WANT_QUANTUM = 4L * FRAME_BYTES;
  private static final long LARGEST_WANT = 4L << 20;

  private final HandleTable handles = new HandleTable();
  private final CreditWindow credit = new CreditWindow(WANT_QUANTUM, LARGEST_WANT);
  private final ReplicaStats stats;

  // Of which nothing was sent, by application.
  private final TurnQueue<ApplicationId, Shipment> pending = new TurnQueue<>();
  private final ArrayDeque<Shipment> unanswered = new ArrayDeque<>();
  // The tail of `unanswered`, if it was sent in part.
  private @Nullable Shipment leaving;
  private long pendingCharge;
  private long nextNumber;
  private long answeredBlocks;

  ShipmentQueue(ReplicaStats stats) {
    this.stats = stats;
  }

  boolean isIdle() {
    return pending.isEmpty() && unanswered.isEmpty();
  }

  boolean hasUnanswered() {
    return answeredBlocks < nextNumber;
  }

  /** What comes after its shuffle was removed fails at once: {@link #failRemoved} was before. */
  void add(Shipment shipment) {
    if (isRemoved(shipment)) {
      shipment.fail(ErrorCode.UNKNOWN_SHUFFLE);
      return;
    }
    enqueue(shipment);
  }

  private void enqueue(Shipment shipment) {
    ApplicationId application = application(shipment);
    pending.add(application, application, shipment);
    pendingCharge += shipment.unsentCharge();
  }

  private static ApplicationId application(Shipment shipment) {
    return shipment.batch().shuffle().key().application();
  }

  /** Whose turn it is. */
  private @Nullable Shipment head() {
    Shipment begun = leaving;
    return begun != null ? begun : pending.peek();
  }

  /** Takes the head out of its queue; it has had its turn. */
  private void begin(Shipment head) {
    Shipment taken = pending.poll(Math.max(1, head.unsentCharge()), 1);
    if (taken != head) {
      throw new IllegalStateException("another one's turn");
    }
  }

  /** Sends what credit and socket allow and asks for credit for the rest. */
  void pump(ClientLink link) {
    Shipment head;
    while (link.isWritable() && (head = head()) != null) {
      if (head.isSettled()) {
        dropHead(head);
      } else if (!send(head, link)) {
        break;
      } else {
        leaving = head.isFullySent() ? null : head;
      }
    }
    long want = credit.want(pendingCharge, hasUnanswered());
    if (want > 0) {
      introduce(link);
      link.want(want);
    }
  }

  /** Before the first handle is open the member does not know whose turn a WANT takes. */
  private void introduce(ClientLink link) {
    Shipment head = head();
    HandleTable.Handle handle = head == null || !handles.isEmpty() ? null : acquire(head, link);
    if (handle != null) {
      handle.release();
    }
  }

  private HandleTable.@Nullable Handle acquire(Shipment shipment, ClientLink link) {
    return handles.acquire(shipment.batch().shuffle().key(), shipment.member().incarnation(), link);
  }

  private void dropHead(Shipment head) {
    if (head == leaving) {
      leaving = null;
    } else {
      ApplicationId application = application(head);
      pending.remove(application, application, head);
    }
    pendingCharge -= head.unsentCharge();
    if (head.isAnswered()) {
      unanswered.remove(head);
      head.letGoOfHandle();
    }
  }

  private boolean send(Shipment shipment, ClientLink link) {
    int count = shipment.coveredBy(credit.available(), FRAME_BYTES);
    if (count == 0) {
      return false;
    }
    HandleTable.Handle handle = shipment.handle();
    if (handle == null) {
      handle = acquire(shipment, link);
      if (handle == null) {
        // All that the member allows are in use: the next answers end some of that.
        return false;
      }
      begin(shipment);
      shipment.beginSending(handle, nextNumber);
      unanswered.addLast(shipment);
    }
    long charge = shipment.charge(count, shipment.sent());
    if (!credit.take(charge)) {
      throw new IllegalStateException("credit was checked for " + charge + " bytes");
    }
    pendingCharge -= charge;
    nextNumber += count;
    OutgoingData piece = shipment.send(count);
    stats.sent(count, piece.length());
    link.push(handle.number(), count, piece);
    return true;
  }

  /**
   * Ends what waits for shuffles that were removed here: nobody wants them anywhere. Looks at all
   * that waits, so not for each pump.
   */
  void failRemoved() {
    failIf(ShipmentQueue::isRemoved, ErrorCode.UNKNOWN_SHUFFLE);
  }

  private static boolean isRemoved(Shipment shipment) {
    return shipment.batch().shuffle().removed();
  }

  /** Ends what waits, or is under way, and what a test is true of. */
  private void failIf(Predicate<Shipment> test, ErrorCode why) {
    Shipment begun = leaving;
    if (begun != null && test.test(begun)) {
      begun.fail(why); // It stays for the answers to what was sent of it.
    }
    for (Shipment shipment : pending.all()) {
      if (test.test(shipment)) {
        shipment.fail(why);
      }
      if (shipment.isSettled()) {
        ApplicationId application = application(shipment);
        pending.remove(application, application, shipment);
        pendingCharge -= shipment.unsentCharge();
      }
    }
  }

  /** Ends everything that has not left. */
  void failPending(ErrorCode why) {
    failIf(any -> true, why);
  }

  /** Ends everything; there is no connection, or it is about to be aborted. */
  void failAll(ErrorCode why) {
    disconnected();
    List<Shipment> all = pending.removeAll();
    pendingCharge = 0;
    all.forEach(shipment -> shipment.fail(why));
  }

  // ------------------------------------------------------------------------------------ answers

  /**
   * Blocks were taken, or refused.
   *
   * @throws SluiceException UNEXPECTED_FRAME if one was not sent, or was answered before
   */
  void answered(long first, int count, long refund, @Nullable ErrorCode refusal) {
    credit.refund(refund);
    long end = first + count;
    long at = first;
    for (Iterator<Shipment> all = unanswered.iterator(); at < end && all.hasNext(); ) {
      Shipment shipment = all.next();
      if (at < shipment.firstNumber()) {
        break;
      }
      if (at >= shipment.endNumber()) {
        continue;
      }
      long to = Math.min(end, shipment.endNumber());
      if (!shipment.answered(at, to, refusal)) {
        throw answeredTwice(first, end);
      }
      answeredBlocks += to - at;
      at = to;
      if (shipment.isAnswered() && shipment != leaving) {
        all.remove();
        shipment.letGoOfHandle();
      }
    }
    if (at < end) {
      throw answeredTwice(first, end);
    }
  }

  private static SluiceException answeredTwice(long first, long end) {
    return new SluiceException(
        ErrorCode.UNEXPECTED_FRAME,
        "blocks "
            + first
            + " to "
            + (end - 1)
            + " were answered, of which some were not sent or answered before");
  }

  void granted(long bytes) {
    credit.granted(bytes);
  }

  /** The member has no credit to give: without anything in flight that is the end of what waits. */
  void wantRefused(ErrorCode why) {
    credit.refused();
    Shipment head = head();
    if (head != null && !hasUnanswered() && !isCovered(head)) {
      failPending(why);
    }
  }

  private boolean isCovered(Shipment shipment) {
    return shipment.coveredBy(credit.available(), FRAME_BYTES) > 0;
  }

  /** Gives up to so many bytes of unneeded credit back. */
  void giveUpCredit(long upTo, ClientLink link) {
    Shipment head = head();
    boolean sendable = head != null && isCovered(head);
    long spare = credit.giveUp(pendingCharge, sendable, upTo);
    if (spare > 0) {
      link.returnCredit(spare);
    }
  }

  // -------------------------------------------------------------------------- coming and going

  void connected(long seed) {
    credit.reset(seed);
    nextNumber = 0;
    answeredBlocks = 0;
  }

  /** What was not settled has to be sent again, in the same order. */
  void disconnected() {
    handles.clear();
    leaving = null;
    List<Shipment> unsent = pending.removeAll();
    pendingCharge = 0;
    Shipment shipment;
    while ((shipment = unanswered.pollFirst()) != null) {
      shipment.unsend();
      if (!shipment.isSettled()) {
        enqueue(shipment);
      }
    }
    unsent.forEach(this::enqueue);
    failRemoved();
    nextNumber = 0;
    answeredBlocks = 0;
  }
}
