package io.sluice.coordinator.membership;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Directives on their way to one server, kept while it is away or slow. Bounded: beyond the limit
 * the oldest are dropped, whose only harm is that the server keeps the data of a removed shuffle
 * until its application ends.
 *
 * <p>Which shuffles a life was told to remove is said again to the next one: it may have ended
 * before its disks knew, and the next finds the data there.
 */
final class DirectiveOutbox {
  static final int LIMIT = 10_000;

  /** Servers share the directives themselves: eight bytes for each of them and each server. */
  static final int REPEATED = 1_000;

  private final ArrayDeque<Directive> waiting = new ArrayDeque<>();
  private final ArrayDeque<Directive> told = new ArrayDeque<>();
  private @Nullable ServerChannel channel;
  private DirectiveFeed feed = DirectiveFeed.NONE;
  private long dropped;

  /**
   * Returns the channel replaced, if there was one.
   *
   * @param follows what this channel is told whenever no directive waits
   */
  @Nullable ServerChannel attach(ServerChannel next, DirectiveFeed follows) {
    ServerChannel previous = channel;
    channel = next;
    feed = follows;
    return previous;
  }

  boolean isAttached() {
    return channel != null;
  }

  boolean isAttached(ServerChannel candidate) {
    return channel == candidate;
  }

  @Nullable ServerChannel detach() {
    ServerChannel previous = channel;
    channel = null;
    feed = DirectiveFeed.NONE;
    return previous;
  }

  void send(Directive directive) {
    if (waiting.size() >= LIMIT) {
      waiting.removeFirst();
      dropped++;
    }
    waiting.addLast(directive);
    drain();
  }

  /** Sends what the channel takes: the directives, then what the feed has. */
  void drain() {
    while (channel != null && channel.isReady()) {
      Directive next = waiting.pollFirst();
      if (next == null) {
        next = feed.next();
      }
      if (next == null) {
        return;
      }
      channel.send(next);
      if (next.lasts()) {
        remember(next);
      }
    }
  }

  private void remember(Directive removal) {
    if (told.size() >= REPEATED) {
      told.removeFirst();
    }
    told.addLast(removal);
  }

  /** A life begins that is not the one which was told last. */
  void repeatRemovals() {
    while (!told.isEmpty()) {
      waiting.addFirst(told.removeLast());
    }
  }

  /** What else waits is of no use to a life that begins anew. */
  void keepRemovals() {
    waiting.removeIf(directive -> !directive.lasts());
  }

  int size() {
    return waiting.size();
  }

  long dropped() {
    return dropped;
  }
}
