package io.sluice.client.connection;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.push.HandleTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Frames that were sent over one connection, wholly or in part, and are not answered: numbers their
 * blocks, and tells owners what became of them. On the event loop only.
 *
 * <p>Among them are hollow frames: what was sent in them has gone elsewhere since, but will be
 * answered.
 */
final class SentFrames {
  private final Consumer<PushFrame> sendAgain;
  private final ArrayDeque<PushFrame> unanswered = new ArrayDeque<>();
  private int hollow;
  // What the server said of its refusals on this connection.
  private final Map<ErrorCode, String> explanations = new EnumMap<>(ErrorCode.class);
  // Whose fault it was, as far as it was another member's.
  private List<FailedReplica> failedReplicas = List.of();
  private long nextNumber;
  private long answeredBlocks;

  /**
   * @param sendAgain takes frames of blocks that the server takes when they come again
   */
  SentFrames(Consumer<PushFrame> sendAgain) {
    this.sendAgain = sendAgain;
  }

  /** Whether there are none but hollow ones. */
  boolean areAllHollow() {
    return unanswered.size() == hollow;
  }

  /** Whether a block that was sent is not answered. */
  boolean hasUnanswered() {
    return answeredBlocks < nextNumber;
  }

  // ------------------------------------------------------------------------------------ sending

  /** The first blocks of a frame are about to be sent. */
  void begin(PushFrame frame, HandleTable.Handle handle) {
    frame.beginSending(handle, nextNumber);
    unanswered.addLast(frame);
  }

  /** So many blocks were sent, of the frame that was begun last. */
  void sent(int count) {
    nextNumber += count;
  }

  /** A frame that was sent in part has lost the rest. */
  void cut(PushFrame frame) {
    // Its sent blocks will be answered, and their credit refunded.
    frame.cutUnsent();
    removeIfSettled(frame);
  }

  private boolean removeIfSettled(PushFrame frame) {
    if (!frame.isSettled()) {
      return false;
    }
    unanswered.remove(frame);
    frame.release();
    return true;
  }

  // ------------------------------------------------------------------------------------ answers

  /**
   * Blocks are stored, or refused.
   *
   * @param refusal null if they are stored
   * @throws SluiceException UNEXPECTED_FRAME if one was not sent or was answered before
   */
  void answered(long first, int count, @Nullable ErrorCode refusal) {
    long end = first + count;
    long at = first;
    for (Iterator<PushFrame> frames = unanswered.iterator(); at < end && frames.hasNext(); ) {
      PushFrame frame = frames.next();
      if (at < frame.firstNumber()) {
        break;
      }
      if (at >= frame.endNumber()) {
        continue;
      }
      long to = Math.min(end, frame.endNumber());
      if (!frame.settle(at, to)) {
        throw answeredTwice(first, count);
      }
      if (!frame.isHollow()) {
        if (refusal == null) {
          frame.owner().acked();
        } else {
          refuse(frame, at, to, refusal);
        }
      }
      answeredBlocks += to - at;
      at = to;
      if (frame.isSettled()) {
        frames.remove();
        hollow -= frame.isHollow() ? 1 : 0;
        frame.release();
      }
    }
    if (at < end) {
      throw answeredTwice(first, count);
    }
  }

  private void refuse(PushFrame frame, long from, long to, ErrorCode code) {
    if (Refusals.mayMove(frame, code)) {
      boolean ofOthers = code == ErrorCode.REPLICA_FAILED;
      List<FailedReplica> failed = ofOthers ? failedReplicas : List.of();
      String what = "refused " + frame.describe(from) + (ofOthers ? ", because of " + failed : "");
      Refusals.handBack(frame.part(from, to), code, what, failed);
      return;
    }
    for (long number = from; number < to; number++) {
      if (frame.owner().abandoned()) {
        return;
      }
      // Advice that nobody can follow: the server takes the block when it comes again.
      boolean advice = code == ErrorCode.PARTITION_FULL;
      if (advice || (code == ErrorCode.CORRUPT_BLOCK && !frame.isSecondTry())) {
        sendAgain.accept(frame.again(number));
      } else {
        String why = explanations.get(code);
        Refusals.fail(
            frame, code, "refused " + frame.describe(number) + (why == null ? "" : ": " + why));
      }
    }
  }

  /**
   * Why blocks are refused with a code from here on; or, which is of no block that is refused, that
   * the server hears no coordinator.
   */
  void explained(ErrorCode code, String why) {
    if (code != ErrorCode.COORDINATOR_UNAVAILABLE) {
      explanations.put(code, why);
      return;
    }
    for (PushFrame frame : unanswered) {
      if (!frame.isHollow() && !frame.owner().abandoned()) {
        frame.owner().unheard();
      }
    }
  }

  /** Who did not take the blocks that are refused with REPLICA_FAILED from here on. */
  void replicasFailed(List<FailedReplica> failed) {
    failedReplicas = failed;
  }

  private static SluiceException answeredTwice(long first, int count) {
    return new SluiceException(
        ErrorCode.UNEXPECTED_FRAME,
        "the server answered blocks "
            + first
            + " to "
            + (first + count - 1)
            + ", of which some were not sent or answered before");
  }

  // ------------------------------------------------------------------------- coming and going

  /** A connection is there, on which nothing was sent and nothing said. */
  void connected() {
    explanations.clear();
    nextNumber = 0;
    answeredBlocks = 0;
  }

  /** Whether a frame was begun last. */
  boolean isNewest(PushFrame frame) {
    return frame == unanswered.peekLast();
  }

  /**
   * Takes away the newest frame that is not hollow, to be sent again; hollow ones behind it are
   * forgotten. For when no answers come any more.
   *
   * @return null if there is none
   */
  @Nullable PushFrame takeNewest() {
    PushFrame frame;
    while ((frame = unanswered.pollLast()) != null && frame.isHollow()) {
      hollow--;
      frame.release();
    }
    if (frame != null) {
      frame.unsend();
    }
    return frame;
  }

  /**
   * The unanswered blocks of a frame in one for its owner, see {@link PushFrame#takeOut}. Its
   * hollow stays if some of it was sent.
   */
  PushFrame takeOut(PushFrame frame) {
    PushFrame taken = frame.takeOut();
    if (taken != frame && !removeIfSettled(frame)) {
      hollow++;
    }
    return taken;
  }

  /** As {@link #takeOut}, of all that can go elsewhere. */
  List<PushFrame> takeOutAll(ErrorCode code) {
    List<PushFrame> taken = new ArrayList<>();
    for (PushFrame frame : new ArrayList<>(unanswered)) {
      if (!frame.isHollow() && Refusals.mayMove(frame, code)) {
        taken.add(takeOut(frame));
      }
    }
    return taken;
  }

  /** Forgets all of them, which are the caller's to release. */
  void clear() {
    unanswered.clear();
    hollow = 0;
  }
}
