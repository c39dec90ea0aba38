package io.sluice.coordinator.membership;

import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.registry.ServerRecord;
import org.jspecify.annotations.Nullable;

/** One known server. */
final class Member {
  private final DirectiveOutbox outbox = new DirectiveOutbox();
  private ServerAddress address;
  private ServerState state;
  private long lostIncarnation;
  private boolean decommissioned;
  private boolean excluded;
  // Once said, a life cannot take it back.
  private boolean stops;
  private ServerReport last = ServerReport.NONE;
  private ServerTraits traits = ServerTraits.NONE;
  private ServerView.Software software = new ServerView.Software("", "");
  private long lastHeardNanos;
  private @Nullable Cancellable timer;

  Member(ServerRecord record, boolean decommissioned, long nowNanos) {
    this.address = record.address();
    this.lostIncarnation = record.lostIncarnation();
    this.decommissioned = decommissioned;
    this.stops = record.stopping();
    this.state = record.lost() ? ServerState.LOST : awakeState();
    this.lastHeardNanos = nowNanos;
  }

  /** Whether a life is older than the one known, or has been given up, or keeps one that was. */
  boolean isStale(ServerAddress hello) {
    return hello.incarnation() < address.incarnation() || hello.intactSince() <= lostIncarnation;
  }

  /** Begins a life, or goes on with one after a reconnect. */
  void greet(ServerHello hello) {
    if (hello.address().incarnation() != address.incarnation()) {
      // Removed shuffles of an earlier life that are on its disks still have to go.
      outbox.repeatRemovals();
      stops = false;
      last = ServerReport.NONE;
      ServerState begins = awakeState();
      if (hello.address().keeps(address.incarnation()) && !begins.mayContinue(state)) {
        throw cannotBecome(begins);
      }
      state = begins;
    }
    address = hello.address();
    traits = hello.traits();
    software = new ServerView.Software(hello.version(), hello.httpAddress());
  }

  /** Returns whether drivers or operators would see a difference, but for the state. */
  boolean hear(ServerReport report, long nowNanos) {
    boolean wasDrained = drained();
    last = report.withoutUses();
    stops |= report.stops();
    lastHeardNanos = nowNanos;
    return drained() != wasDrained;
  }

  /** We could not have heard it: the silence begins anew. */
  void excuse(long nowNanos) {
    lastHeardNanos = nowNanos;
  }

  void decommission(boolean begins) {
    decommissioned = begins;
  }

  void exclude(boolean begins) {
    excluded = begins;
  }

  boolean decommissioned() {
    return decommissioned;
  }

  /** Returns whether the state is another one now. */
  boolean become(ServerState next) {
    if (!next.mayFollow(state)) {
      throw cannotBecome(next);
    }
    boolean changes = next != state;
    state = next;
    if (next == ServerState.LOST) {
      lostIncarnation = address.incarnation();
    }
    return changes;
  }

  private IllegalStateException cannotBecome(ServerState next) {
    return new IllegalStateException(address + " is " + state + " and cannot become " + next);
  }

  /** What it is, silence aside. */
  ServerState awakeState() {
    if (stops) {
      return ServerState.RESTARTING;
    }
    if (decommissioned) {
      return ServerState.DRAINING;
    }
    return last.load().isWithoutDisk() ? ServerState.UNHEALTHY : ServerState.ACTIVE;
  }

  private boolean drained() {
    return decommissioned && last.drained();
  }

  void restartTimer(Cancellable next) {
    stopTimer();
    timer = next;
  }

  void stopTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  DirectiveOutbox outbox() {
    return outbox;
  }

  ServerAddress address() {
    return address;
  }

  ServerState state() {
    return state;
  }

  long lastHeardNanos() {
    return lastHeardNanos;
  }

  ServerView view() {
    return new ServerView(
        address, state, lostIncarnation, last.load(), drained(), excluded, traits, software);
  }
}
