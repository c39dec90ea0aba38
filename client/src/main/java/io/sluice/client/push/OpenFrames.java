package io.sluice.client.push;

import io.sluice.client.connection.PushFrame;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The frames that are being filled, one for each server at most: half of {@link
 * io.sluice.client.ClientConfig#maxInFlightBytes}, the other half is for those on their way. With
 * more servers than frames fit, the one opened longest ago is sent half full. On the task's thread.
 */
final class OpenFrames {
  private final PushContext context;
  private final InFlight inFlight;
  private final Routes routes;
  private final ArrayDeque<ServerLane> lanes = new ArrayDeque<>();
  private long bytes;

  OpenFrames(PushContext context, InFlight inFlight, Routes routes) {
    this.context = context;
    this.inFlight = inFlight;
    this.routes = routes;
  }

  /**
   * A frame of a lane with room for a block. Or null if it has to be looked up again which lane it
   * is: frames came back while it waited for memory, or the process has learnt of a newer placement
   * since the last frame was opened.
   *
   * @param needed bytes of the block, header included
   */
  @Nullable PushFrame room(ServerLane lane, int needed) throws InterruptedException {
    PushFrame open = roomThere(lane, needed);
    if (open != null) {
      return open;
    }
    long half = makeRoom(lane, needed);
    if (!inFlight.awaitAtMost(half, half / 4 * 3) || routes.refresh()) {
      return null;
    }
    return open(lane, needed);
  }

  /** The same for the copy of a block that came back: waits for nothing else that did. */
  PushFrame roomForReturned(ServerLane lane, int needed) throws InterruptedException {
    PushFrame open = roomThere(lane, needed);
    if (open != null) {
      return open;
    }
    long half = makeRoom(lane, needed);
    inFlight.awaitOthers(half, half / 4 * 3);
    return open(lane, needed);
  }

  private static @Nullable PushFrame roomThere(ServerLane lane, int needed) {
    PushFrame open = lane.open();
    return open != null && open.capacity() - open.length() >= needed ? open : null;
  }

  private int size(int needed) {
    return Math.max(context.config().frameBytes(), needed);
  }

  private long makeRoom(ServerLane lane, int needed) {
    send(lane);
    long half = context.config().maxInFlightBytes() / 2;
    while (bytes > 0 && bytes + size(needed) > half) {
      send(lanes.getFirst());
    }
    return half;
  }

  private PushFrame open(ServerLane lane, int needed) {
    int size = size(needed);
    PushFrame opened =
        new PushFrame(context.allocator().directBuffer(size, size), lane, routes.epochs());
    lane.open(opened);
    lanes.addLast(lane);
    bytes += opened.capacity();
    return opened;
  }

  private void send(ServerLane lane) {
    PushFrame open = lane.open();
    if (open != null) {
      forget(lane, open);
      lane.send();
    }
  }

  private void forget(ServerLane lane, PushFrame open) {
    bytes -= open.capacity();
    lanes.remove(lane);
  }

  /** Takes the open frame of a lane away, if there is one with blocks. */
  @Nullable PushFrame take(ServerLane lane) {
    PushFrame open = lane.takeOpen();
    if (open == null) {
      return null;
    }
    forget(lane, open);
    if (open.blocks() == 0) {
      open.discard();
      return null;
    }
    return open;
  }

  /** Sends them all. */
  void sendAll() {
    ServerLane lane;
    while ((lane = lanes.peekFirst()) != null) {
      send(lane);
    }
  }
}
