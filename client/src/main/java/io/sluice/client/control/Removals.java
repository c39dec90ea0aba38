package io.sluice.client.control;

import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.log.FewLines;
import io.sluice.common.time.Scheduler;
import io.sluice.proto.control.v1.RemoveShuffleRequest;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shuffles that are given up and that no coordinator has removed yet. Servers keep their data, and
 * quotas count them, until one has; so a removal that reached nobody waits for a heartbeat that
 * reaches somebody, and is sent again behind it, for as long as the application lives.
 *
 * <p>Its state is confined to the scheduler's thread.
 */
final class Removals {
  private static final Logger log = LoggerFactory.getLogger(Removals.class);

  /** Calls under way; more wait for their turn. */
  static final int MOST_UNDER_WAY = 1_000;

  /**
   * Removals that are under way or wait: as many as an application may have shuffles, 10 MB. What
   * is more is left to the application's end, and said in the log.
   */
  static final int LIMIT = 100_000;

  private final Scheduler thread;
  private final Function<RemoveShuffleRequest, ? extends CompletionStage<?>> call;
  private final FewLines lines;
  private final Queue<Removal> due = new ArrayDeque<>();
  // Those that reached nobody since a heartbeat was answered.
  private final Queue<Removal> unheard = new ArrayDeque<>();
  private final Set<Removal> underWay = new HashSet<>();

  /**
   * @param call asks whoever leads; ends on the scheduler's thread
   */
  Removals(Scheduler thread, Function<RemoveShuffleRequest, ? extends CompletionStage<?>> call) {
    this.thread = thread;
    this.call = call;
    this.lines = new FewLines(thread.clock());
  }

  /**
   * Removes a shuffle. On any thread.
   *
   * @param later servers that its later epochs name
   * @return ends when a coordinator has removed it, or the first call has reached none
   */
  CompletionStage<?> remove(ShuffleKey shuffle, Collection<ServerId> later) {
    Removal removal = new Removal(shuffle, List.copyOf(later));
    thread.execute(() -> add(removal));
    return removal.tried;
  }

  /** A shuffle was placed, which no removal from before is about any more. On any thread. */
  void placed(ShuffleKey shuffle) {
    thread.execute(
        () ->
            Stream.<Collection<Removal>>of(due, unheard, underWay)
                .flatMap(Collection::stream)
                .filter(removal -> removal.shuffle.equals(shuffle))
                .forEach(Removal::end));
  }

  /** A coordinator is heard: what reached nobody is sent again. On the scheduler's thread. */
  void heard() {
    due.addAll(unheard);
    unheard.clear();
    sendDue();
  }

  private void add(Removal removal) {
    if (underWay.size() + due.size() + unheard.size() < LIMIT) {
      due.add(removal);
      sendDue();
    } else {
      say(removal, "stays until its application ends: too many removals wait", null);
      removal.tried.complete(null);
    }
  }

  private void sendDue() {
    while (underWay.size() < MOST_UNDER_WAY && !due.isEmpty()) {
      Removal removal = due.remove();
      if (!removal.over) {
        underWay.add(removal);
        call.apply(removal.request()).whenComplete((done, failure) -> ended(removal, failure));
      }
    }
  }

  private void ended(Removal removal, @Nullable Throwable failure) {
    underWay.remove(removal);
    if (failure != null && ControlFailures.isForGood(failure)) {
      say(removal, "stays until its application ends", failure);
    } else if (failure != null && !removal.over) {
      if (!removal.tried.isDone()) {
        say(removal, "stays until a coordinator removes it", failure);
      }
      unheard.add(removal);
    }
    removal.tried.complete(null);
    sendDue();
  }

  private void say(Removal removal, String fate, @Nullable Throwable reason) {
    long before = lines.next();
    if (before >= 0) {
      String others = before == 0 ? "" : " (and " + before + " others)";
      log.warn("shuffle {}{} {}", removal.shuffle, others, fate, reason);
    }
  }

  /** One shuffle's. */
  private static final class Removal {
    final ShuffleKey shuffle;
    // Ended with the first call.
    final CompletableFuture<Void> tried = new CompletableFuture<>();
    private final List<ServerId> later;
    // The shuffle is there again: not to be sent any more.
    boolean over;

    Removal(ShuffleKey shuffle, List<ServerId> later) {
      this.shuffle = shuffle;
      this.later = later;
    }

    void end() {
      over = true;
      tried.complete(null);
    }

    RemoveShuffleRequest request() {
      return RemoveShuffleRequest.newBuilder()
          .setShuffle(ControlMessages.shuffle(shuffle))
          .addAllLaterServers(
              later.stream().map(id -> ControlMessages.uuid(id)).collect(Collectors.toList()))
          .build();
    }
  }
}
