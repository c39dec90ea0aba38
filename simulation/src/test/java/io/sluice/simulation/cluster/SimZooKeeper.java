package io.sluice.simulation.cluster;

import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The ensemble that coordinators elect their leader by and keep their state in: sessions that end
 * some time after their coordinator fell silent, one election, and {@link StoredState}.
 *
 * <p>Who is cut off is told at once that it may have lost the election, as Curator does; who is
 * frozen hears of it when it thaws, and takes itself for the leader until then.
 */
final class SimZooKeeper {
  private static final long LONGEST_WRITE_NANOS = 20_000_000;
  private static final long SHORTEST_SESSION_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long LONGEST_SESSION_NANOS = TimeUnit.SECONDS.toNanos(8);

  private final EventQueue events;
  private final Dice dice;
  private final StoredState state = new StoredState();
  private final long sessionNanos;
  // With a session, in the order in which they came.
  private final List<CoordinatorNode> candidates = new ArrayList<>();
  private final Set<CoordinatorNode> cutOff = new HashSet<>();
  private @Nullable CoordinatorNode elected;
  private boolean away;
  private boolean flatters;

  SimZooKeeper(EventQueue events, Dice dice) {
    this.events = events;
    this.dice = dice;
    this.sessionNanos = dice.between(SHORTEST_SESSION_NANOS, LONGEST_SESSION_NANOS);
  }

  TermStore storeOf(CoordinatorNode node) {
    return new TermStore(this, node, state);
  }

  /** Terms begun so far. */
  long terms() {
    return state.term();
  }

  /** A process begins a session and stands for election. */
  void join(CoordinatorNode node) {
    node.process().onDeath(() -> after(sessionNanos, () -> expire(node)));
    stand(node);
  }

  private void stand(CoordinatorNode node) {
    if (node.process().isAlive() && !candidates.contains(node)) {
      candidates.add(node);
      elect();
    }
  }

  /** A candidate that was fenced leaves its place for another one, which may be the same. */
  void standAgain(CoordinatorNode node) {
    answer(
        () -> {
          if (candidates.contains(node) && reaches(node)) {
            expire(node);
            stand(node);
          }
        });
  }

  private void elect() {
    if (elected == null && !away && !candidates.isEmpty()) {
      CoordinatorNode next = dice.pick(candidates);
      elected = next;
      next.elected();
    }
  }

  private void expire(CoordinatorNode node) {
    candidates.remove(node);
    if (elected == node) {
      elected = null;
      elect();
    }
  }

  /** A process is frozen for a while: its session ends if that is longer than it may be silent. */
  void froze(CoordinatorNode node, long nanos) {
    if (nanos > sessionNanos) {
      after(
          sessionNanos,
          () -> {
            if (node.process().isFrozen()) {
              loses(node, nanos - sessionNanos);
            }
          });
    }
  }

  private void loses(CoordinatorNode node, long nanos) {
    expire(node);
    node.deposed();
    after(nanos + dice.skewed(1, sessionNanos), () -> stand(node));
  }

  /** A process cannot reach the ensemble for a while. */
  void cut(CoordinatorNode node, long nanos) {
    cutOff.add(node);
    node.deposed();
    after(nanos, () -> cutOff.remove(node));
    if (nanos > sessionNanos) {
      after(sessionNanos, () -> loses(node, nanos - sessionNanos));
    } else {
      // In the same session, but Curator's latch stands anew after every doubt.
      loses(node, nanos);
    }
  }

  /** Nobody can reach the ensemble for a while. */
  void away(long nanos) {
    if (away) {
      return;
    }
    away = true;
    elected = null;
    List.copyOf(candidates).forEach(CoordinatorNode::deposed);
    after(nanos, this::back);
  }

  /** The ensemble can be reached by all again. */
  void back() {
    cutOff.clear();
    if (away) {
      away = false;
      elect();
    }
  }

  /** Tells everybody from now on that he still leads. */
  void flatter() {
    flatters = true;
  }

  boolean flatters() {
    return flatters;
  }

  boolean reaches(CoordinatorNode node) {
    return !away && !cutOff.contains(node);
  }

  /** Whether a request whose answer is lost took effect. */
  boolean happensAnyway() {
    return !away && dice.chance(0.5);
  }

  void answer(Runnable step) {
    after(dice.skewed(1, LONGEST_WRITE_NANOS), step);
  }

  void after(long nanos, Runnable step) {
    events.after(nanos, this, "acts", step);
  }

  @Override
  public String toString() {
    return "ZooKeeper";
  }
}
