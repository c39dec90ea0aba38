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
  private ServerLoad load = ServerLoad.UNKNOWN;
  private String version = "";
  private String httpAddress = "";
  private boolean draining;
  private long lastHeardNanos;
  private @Nullable Cancellable timer;

  Member(ServerRecord record, long nowNanos) {
    this.address = record.address();
    this.lostIncarnation = record.lostIncarnation();
    this.state = record.lost() ? ServerState.LOST : ServerState.ACTIVE;
    this.lastHeardNanos = nowNanos;
  }

  /** Begins a life, or goes on with one after a reconnect. */
  void greet(ServerHello hello) {
    if (hello.address().incarnation() != address.incarnation()) {
      state = ServerState.ACTIVE;
      load = ServerLoad.UNKNOWN;
      draining = false;
      // Removed shuffles of an earlier life that are on its disks still have to go: keep the
      // outbox.
    }
    address = hello.address();
    version = hello.version();
    httpAddress = hello.httpAddress();
  }

  void hear(ServerLoad reported, boolean reportsDraining, long nowNanos) {
    load = reported;
    draining = reportsDraining;
    lastHeardNanos = nowNanos;
  }

  /** We could not have heard it: the silence begins anew. */
  void excuse(long nowNanos) {
    lastHeardNanos = nowNanos;
  }

  /** Returns whether the state is another one now. */
  boolean become(ServerState next) {
    if (!next.mayFollow(state)) {
      throw new IllegalStateException(address + " is " + state + " and cannot become " + next);
    }
    boolean changes = next != state;
    state = next;
    if (next == ServerState.LOST) {
      lostIncarnation = address.incarnation();
    }
    return changes;
  }

  /** What the server's word makes of it, silence aside. */
  ServerState awakeState() {
    return draining ? ServerState.DRAINING : ServerState.ACTIVE;
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
    return new ServerView(address, state, lostIncarnation, load, version, httpAddress);
  }
}
