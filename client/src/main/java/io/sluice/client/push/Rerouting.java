package io.sluice.client.push;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.connection.PushFrame;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.Placements;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.transport.FailedReplica;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
  /**
   * Pauses before blocks are tried again whose server has no room, or whose set lacks a member that
   * nobody replaces. For a member that is away there are ten: 26 s together, about the reconnect
   * deadline of a client. For room they go on until the block deadline.
   */
  private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

  private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(5).toNanos();
  private static final int MOST_PAUSES = 10;
  private static final Set<Outlook> PAUSED =
      EnumSet.of(Outlook.NO_ROOM, Outlook.OF_OTHERS, Outlook.LATER_LIFE);

  private final Placements placements;
  private final Clock clock;
  private final long noRoomDeadlineNanos;
  private final InFlight inFlight;
  private final Routes routes;
  private final OpenFrames open;
  private final Standstill standstill;
  private final ArrayDeque<ReturnedFrame> held = new ArrayDeque<>();

  Rerouting(PushContext context, InFlight inFlight, Routes routes, OpenFrames open) {
    this.placements = context.placements();
    this.clock = context.clock();
    this.noRoomDeadlineNanos = context.config().blockDeadline().toNanos();
    this.inFlight = inFlight;
    this.routes = routes;
    this.open = open;
    this.standstill = new Standstill(inFlight, noRoomDeadlineNanos);
  }

  /**
   * Sees to everything that came back.
   *
   * @throws SluiceException why a server did not take a block that can go nowhere else
   */
  void run() throws InterruptedException {
    while (inFlight.hasReturned() || !held.isEmpty()) {
      inFlight.takeReturned(held);
      noteRefusals();
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

  /**
   * @throws SluiceException why blocks were refused for which there has been no room for too long,
   *     wherever they were sent meanwhile
   */
  private void noteRefusals() {
    long now = clock.nanoTime();
    for (ReturnedFrame returned : held) {
      returned
          .culprits()
          .forEach(
              (server, why) -> {
                if (Outlook.of(why) == Outlook.NO_ROOM) {
                  standstill.refused(server, why, now);
                }
              });
      if (returned.outlook() == Outlook.NO_ROOM && standstill.isOver(now)) {
        SluiceException why = returned.why();
        throw new SluiceException(why.code(), why.getMessage() + "; " + standstill, why);
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
    Map<PlacedServer, Complaint> complaints = new LinkedHashMap<>();
    long now = clock.nanoTime();
    for (ReturnedFrame returned : held) {
      SortedSet<Integer> stuck = stuckPartitions(returned.frame());
      if (stuck.isEmpty()) {
        continue;
      }
      ErrorCode code = returned.why().code();
      if (code == ErrorCode.PARTITION_FULL) {
        full.computeIfAbsent(returned.lane().server(), server -> new TreeSet<>()).addAll(stuck);
      } else {
        // Half of the time is left for a placement that does without who has no room.
        boolean lasting =
            standstill.isLong(now)
                || returned.lane().cameBackInVainFor(noRoomDeadlineNanos / 2, now);
        returned
            .culprits()
            .forEach((server, why) -> complaints.putIfAbsent(server, of(server, why, lasting)));
      }
    }
    if (complaints.values().stream().anyMatch(it -> Outlook.of(it.code()) == Outlook.NO_ROOM)) {
      standstill
          .lately(now)
          .forEach((server, why) -> complaints.putIfAbsent(server, of(server, why, false)));
    }
    List<Complaint> all = new ArrayList<>(complaints.values());
    full.forEach(
        (server, partitions) -> {
          if (!complaints.containsKey(server)) {
            int[] which = partitions.stream().mapToInt(Integer::intValue).toArray();
            all.add(Complaint.ofPartitions(server, ErrorCode.PARTITION_FULL, which));
          }
        });
    return all;
  }

  private static Complaint of(PlacedServer server, ErrorCode code, boolean lasting) {
    return lasting ? Complaint.ofServerForLong(server, code) : Complaint.ofServer(server, code);
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
   * There is no newer placement: blocks that their servers may still take go there again, to wait
   * for them until the deadlines; any other refusal ends the attempt. Connections wait for their
   * own server; for room, for other members of a set, and for the driver to hear of a server's
   * later life only this thread can.
   */
  private void stay(@Nullable Throwable failure) throws InterruptedException {
    Map<ServerLane, Integer> inVain = new LinkedHashMap<>();
    long now = clock.nanoTime();
    for (ReturnedFrame returned : held) {
      Outlook outlook = returned.outlook();
      if (PAUSED.contains(outlook)) {
        inVain.computeIfAbsent(returned.lane(), lane -> lane.cameBackInVain(now));
      }
      if (!mayStay(returned, inVain.getOrDefault(returned.lane(), 0), now)) {
        throw noOther(returned.why(), failure);
      }
    }
    pause(inVain);
    while (!held.isEmpty()) {
      ReturnedFrame returned = held.getFirst();
      letGo(returned);
      // Pauses are bounded; for who is away otherwise nobody is asked again and again where else
      // to go.
      returned.lane().pushAgain(returned.frame(), returned.outlook() == Outlook.AWAY);
    }
  }

  /**
   * @param times how often the lane was refused in a row where a pause may help
   */
  private boolean mayStay(ReturnedFrame returned, int times, long now) {
    switch (returned.outlook()) {
      case AWAY:
      case TAKES_THEM:
        return true;
      case NO_ROOM:
        return now - returned.lane().inVainSince() < noRoomDeadlineNanos;
      case OF_OTHERS:
      case LATER_LIFE:
        return times <= MOST_PAUSES;
      case NONE:
        return false;
    }
    throw new AssertionError(returned.outlook());
  }

  /**
   * @param inVain how often in a row lanes were refused
   */
  private void pause(Map<ServerLane, Integer> inVain) throws InterruptedException {
    Optional<Map.Entry<ServerLane, Integer>> longest =
        inVain.entrySet().stream().max(Map.Entry.comparingByValue());
    if (longest.isPresent()) {
      int times = longest.get().getValue();
      int doublings = Math.min(times, MOST_PAUSES) - 1;
      long pause = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << doublings);
      inFlight.await(longest.get().getKey().after(pause));
    }
  }

  private static SluiceException noOther(SluiceException why, @Nullable Throwable failure) {
    Throwable reason =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return new SluiceException(
        why.code(),
        why.getMessage() + "; no other server: " + (reason == null ? "?" : reason.getMessage()),
        why);
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
