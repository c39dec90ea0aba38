package io.sluice.client.push;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.connection.PushFrame;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.Placements;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.FailedReplica;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Sends blocks that servers did not take to those of a newer placement, which it asks for unless it
 * is known already. Blocks are copied as they are, with header and CRC; what a server had stored
 * nevertheless, readers recognise by its number. On the task's thread.
 *
 * <p>A route is good for a block if its epoch was made after the frame was opened that came back:
 * whoever made it knew better than we did then. If it leads to the same server, so be it.
 */
final class Rerouting {
  private final Placements placements;
  private final InFlight inFlight;
  private final Routes routes;
  private final OpenFrames open;
  private final ArrayDeque<ReturnedFrame> held = new ArrayDeque<>();

  Rerouting(Placements placements, InFlight inFlight, Routes routes, OpenFrames open) {
    this.placements = placements;
    this.inFlight = inFlight;
    this.routes = routes;
    this.open = open;
  }

  /**
   * Sees to everything that came back.
   *
   * @throws SluiceException why a server did not take a block that can go nowhere else
   */
  void run() throws InterruptedException {
    while (inFlight.hasReturned() || !held.isEmpty()) {
      inFlight.takeReturned(held);
      if (findRoutes()) {
        while (!held.isEmpty()) {
          ReturnedFrame returned = held.getFirst();
          copy(returned.frame());
          letGo(returned);
          returned.release();
        }
      }
    }
  }

  private void letGo(ReturnedFrame returned) {
    held.remove(returned);
    inFlight.letGo(returned);
  }

  // ------------------------------------------------------------------------------------- asking

  /** Whether there is a good route for every block held; else what could be done was done. */
  private boolean findRoutes() throws InterruptedException {
    List<Complaint> complaints = complaints();
    while (!complaints.isEmpty()) {
      ShufflePlacement known = routes.placement();
      InFlight.Answer<ShufflePlacement> answer =
          inFlight.await(placements.atLeast(known, known.epochs() + 1, complaints));
      ShufflePlacement newer = answer.value();
      if (newer == null) {
        stay(answer.failure());
        return false;
      }
      routes.take(newer);
      complaints.forEach(this::takeOpenFrames);
      complaints = complaints();
    }
    return true;
  }

  private List<Complaint> complaints() throws InterruptedException {
    Map<PlacedServer, SortedSet<Integer>> full = new LinkedHashMap<>();
    Map<PlacedServer, ErrorCode> complaints = new LinkedHashMap<>();
    for (ReturnedFrame returned : held) {
      SortedSet<Integer> stuck = stuckPartitions(returned.frame());
      if (stuck.isEmpty()) {
        continue;
      }
      ErrorCode code = returned.why().code();
      if (code == ErrorCode.PARTITION_FULL) {
        full.computeIfAbsent(returned.lane().server(), server -> new TreeSet<>()).addAll(stuck);
      } else {
        returned.culprits().forEach(complaints::putIfAbsent);
      }
    }
    List<Complaint> all = new ArrayList<>();
    complaints.forEach((server, code) -> all.add(Complaint.ofServer(server, code)));
    full.forEach(
        (server, partitions) -> {
          if (!complaints.containsKey(server)) {
            int[] which = partitions.stream().mapToInt(Integer::intValue).toArray();
            all.add(Complaint.ofPartitions(server, ErrorCode.PARTITION_FULL, which));
          }
        });
    return all;
  }

  /** The partitions of a frame whose newest epoch is not newer than the frame. */
  private SortedSet<Integer> stuckPartitions(PushFrame frame) throws InterruptedException {
    SortedSet<Integer> stuck = new TreeSet<>();
    frame.forEachUnanswered(
        (at, length) -> {
          int partition = BlockHeader.partition(frame.bytes(), at);
          if (routes.epochOf(partition) < frame.epochs()) {
            stuck.add(partition);
          }
        });
    return stuck;
  }

  /** What is being filled for a server that takes nothing need not go there first. */
  private void takeOpenFrames(Complaint complaint) {
    if (!complaint.isOfServer()) {
      return;
    }
    for (ServerLane lane : routes.lanes()) {
      PushFrame frame = lane.members().contains(complaint.server()) ? open.take(lane) : null;
      if (frame != null) {
        ReturnedFrame returned = returnedBecauseOf(complaint, frame, lane);
        inFlight.hold(returned);
        held.add(returned);
      }
    }
  }

  /** The lane's first member is not to blame for another one. */
  private static ReturnedFrame returnedBecauseOf(
      Complaint complaint, PushFrame frame, ServerLane lane) {
    PlacedServer culprit = complaint.server();
    if (culprit.equals(lane.server())) {
      return new ReturnedFrame(
          frame, lane, new SluiceException(complaint.code(), complaint.toString()), List.of());
    }
    return new ReturnedFrame(
        frame,
        lane,
        new SluiceException(ErrorCode.REPLICA_FAILED, complaint.toString()),
        List.of(new FailedReplica(culprit.id(), complaint.code())));
  }

  // ------------------------------------------------------------------------------------ copying

  private void copy(PushFrame frame) throws InterruptedException {
    ByteBuffer from = frame.bytes().duplicate();
    frame.forEachUnanswered(
        (at, length) -> {
          ServerLane lane = routes.lane(BlockHeader.partition(frame.bytes(), at));
          PushFrame to = open.roomForReturned(lane, length);
          ByteBuffer into = to.bytes().duplicate();
          into.limit(to.length() + length).position(to.length());
          from.limit(at + length).position(at);
          into.put(from);
          to.added(length - BlockHeader.LENGTH);
        });
  }

  /**
   * There is no newer placement: blocks that their server may still take go there again, to wait
   * for it until the deadlines; any other refusal ends the attempt.
   */
  private void stay(@Nullable Throwable failure) {
    Throwable reason =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    for (ReturnedFrame returned : held) {
      if (!mayStillTake(returned.why().code())) {
        SluiceException why = returned.why();
        throw new SluiceException(
            why.code(),
            why.getMessage() + "; no other server: " + (reason == null ? "?" : reason.getMessage()),
            why);
      }
    }
    while (!held.isEmpty()) {
      ReturnedFrame returned = held.getFirst();
      letGo(returned);
      // A partition that is large everywhere is taken when it comes again; who is away is not asked
      // again and again where else to go.
      boolean mayMoveStill = returned.why().code() == ErrorCode.PARTITION_FULL;
      returned.lane().pushAgain(returned.frame(), mayMoveStill);
    }
  }

  private static boolean mayStillTake(ErrorCode code) {
    switch (code) {
      case CONNECT_FAILED:
      case CONNECTION_LOST:
      case TIMED_OUT:
      case SHUTTING_DOWN:
      case TOO_MANY_CONNECTIONS:
      case PARTITION_FULL:
        return true;
      default:
        return false;
    }
  }

  /** Frees what is held. */
  void close() {
    while (!held.isEmpty()) {
      ReturnedFrame returned = held.getFirst();
      letGo(returned);
      returned.release();
    }
  }
}
