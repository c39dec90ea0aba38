package io.sluice.client.fetch;

import io.sluice.client.MissingBlocksException;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.connection.ConnectionPool;
import io.sluice.client.connection.FetchSpec;
import io.sluice.client.connection.FetchStream;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.Advice;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.TransportLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which servers are asked now, which again, and which are given up. On the task's thread.
 *
 * <p>Where several servers hold the same, the next one is asked as soon as one is in trouble:
 * fails, cannot be reached, or brings nothing for {@link
 * io.sluice.client.ClientConfig#suspectAfter}. The first is not given up for that; whoever brings
 * what is missing first will do.
 *
 * <p>A stream that breaks is asked for again, narrowed to what is still incomplete; blocks that
 * come twice are recognised by their numbers. A server gets a bounded number of failures in a row
 * without a new block between them, one second look at damaged blocks, one after each that brought
 * something new where a disk failed (it has sent all it can read by then), and no second chance
 * after it said that its data is gone. One that only has no room is tried for as long as {@link
 * io.sluice.client.ClientConfig#blockDeadline}, and then nothing is missing: the read fails.
 */
final class FetchSchedule {
  private static final Logger log = LoggerFactory.getLogger(FetchSchedule.class);

  private static final int MAX_FAILURES = 5;
  private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LONG_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long MIN_SHARE = 2L * TransportLimits.MAX_DATA_BYTES;
  private static final int NAMED_IN_MESSAGE = 3;

  private final ReadScope scope;
  private final FetchContext context;
  private final Completeness completeness;
  private final ArrivalQueue arrivals;
  private final FetchPlan plan;
  private final List<ServerFetch> fetches;
  private final ArrayDeque<ServerFetch> waiting;
  private final long share;
  private final int maxStreams;
  private final @Nullable StallWatch stalls;
  private int active;
  // Since when nothing has come but the word that nothing does; -1 if something has.
  private long vainSince = -1;
  private boolean hopeless;

  FetchSchedule(
      ReadScope scope,
      FetchContext context,
      Completeness completeness,
      ArrivalQueue arrivals,
      ConnectionPool connections) {
    this.scope = scope;
    this.context = context;
    this.completeness = completeness;
    this.arrivals = arrivals;
    this.plan = new FetchPlan(scope, completeness, connections);
    this.fetches = new ArrayList<>(plan.first());
    this.waiting = new ArrayDeque<>(fetches);
    long credit = context.config().readerCreditBytes();
    long most = Math.min(Integer.MAX_VALUE, credit / MIN_SHARE);
    // Where there are replicas, each server may have another one asked beside it.
    long wanted = plan.hasReplicas() ? 2L * fetches.size() : fetches.size();
    this.maxStreams = (int) (plan.hasReplicas() ? Math.min(most, Math.max(1, wanted)) : most);
    this.share = credit / Math.max(1, Math.min(most, wanted));
    this.stalls =
        fetches.isEmpty()
            ? null
            : new StallWatch(
                fetches.get(0).connection().loop(), context.clock(), patienceNanos(), arrivals);
  }

  /** How long nothing may come before it is looked at why. */
  private long patienceNanos() {
    long deadline = context.config().blockDeadline().toNanos();
    long silence = context.config().suspectAfter().toNanos();
    return plan.hasReplicas() ? Math.min(silence, deadline) : deadline;
  }

  /** Begins as many streams as there is credit for. */
  void start() {
    while (active < maxStreams && !waiting.isEmpty()) {
      active++;
      launch(waiting.removeFirst());
    }
  }

  /** Whether every server has been asked for the last time. */
  boolean isDone() {
    return active == 0 && waiting.isEmpty();
  }

  /** Whether something is known to be missing for good, though servers are still being asked. */
  boolean isHopeless() {
    return hopeless;
  }

  private void launch(ServerFetch fetch) {
    int first = Integer.MAX_VALUE;
    int last = -1;
    BitSet owned = fetch.partitions();
    for (int i = owned.nextSetBit(0); i >= 0; i = owned.nextSetBit(i + 1)) {
      if (completeness.isIncomplete(scope.firstPartition() + i)) {
        first = Math.min(first, i);
        last = i;
      }
    }
    if (last < 0) {
      done(fetch, null);
      return;
    }
    FetchSpec spec =
        new FetchSpec(
            scope.shuffle(),
            fetch.server().incarnation(),
            scope.firstPartition() + first,
            scope.firstPartition() + last + 1,
            scope.firstMap(),
            scope.endMap());
    LandingStream landing = new LandingStream(fetch, arrivals, context, share);
    fetch.streaming(fetch.connection().fetch(spec, landing, share), landing);
  }

  /** A stream has ended, or failed. */
  void streamOver(ServerFetch fetch, @Nullable SluiceException cause) {
    if (fetch.state() != ServerFetch.State.STREAMING) {
      return;
    }
    if (cause == null) {
      if (fetch.corruption() != null && isWanting(fetch) && fetch.mayAskAgainForCorruption()) {
        launch(fetch);
      } else {
        done(fetch, null);
      }
      return;
    }
    ErrorCode code = cause.code();
    if (code.blame() == Blame.CORRUPTION) {
      log.warn("damage in shuffle {} from server {}", scope.shuffle(), fetch.server(), cause);
      fetch.sawCorruption(String.valueOf(cause.getMessage()));
      if (fetch.mayAskAgainForCorruption()) {
        launch(fetch);
      } else {
        done(fetch, cause);
      }
    } else if (code == ErrorCode.DISK_FAILED && !fetch.mayAskAgainForDisk()) {
      done(fetch, cause);
    } else if (code.advice() == Advice.ABORT) {
      throw aborted(cause);
    } else if (code.advice() == Advice.RECOMPUTE
        || code == ErrorCode.TIMED_OUT
        || hasFailedEnough(fetch, code)) {
      done(fetch, cause);
    } else {
      pause(fetch);
    }
  }

  /**
   * One that has no room at the moment, and is the only one to ask, gets as long as a silent one.
   */
  private boolean hasFailedEnough(ServerFetch fetch, ErrorCode code) {
    long since = fetch.countFailure(context.clock().nanoTime());
    return fetch.failures() > MAX_FAILURES
        && (code.blame() != Blame.CAPACITY
            || plan.hasReplicas()
            || since >= context.config().blockDeadline().toNanos());
  }

  /** A server cannot be reached, and it was tried for as long as it may be. */
  void givenUp(ServerFetch fetch, @Nullable SluiceException cause) {
    if (fetch.state() != ServerFetch.State.STREAMING) {
      return;
    }
    if (cause != null && cause.code().advice() == Advice.ABORT) {
      throw aborted(cause);
    }
    done(fetch, cause);
  }

  private SluiceException aborted(SluiceException cause) {
    return new SluiceException(
        cause.code(),
        "reading shuffle " + scope.shuffle() + " failed: " + cause.getMessage(),
        cause);
  }

  private void pause(ServerFetch fetch) {
    long nanos = fetch.failures() > MAX_FAILURES ? LONG_PAUSE_NANOS : PAUSE_NANOS;
    fetch.paused();
    fetch.connection().loop().schedule(nanos, () -> arrivals.offer(new Again(fetch)));
  }

  /** A pause is over. */
  void again(ServerFetch fetch) {
    if (fetch.state() == ServerFetch.State.PAUSED) {
      launch(fetch);
    }
  }

  private boolean isWanting(ServerFetch fetch) {
    return fetch.partitions().stream()
        .anyMatch(i -> completeness.isIncomplete(scope.firstPartition() + i));
  }

  private void done(ServerFetch fetch, @Nullable SluiceException why) {
    fetch.done(why);
    active--;
    askOthers(fetch);
    hopeless |= isLossCertain(fetch);
    start();
  }

  // ------------------------------------------------------------------------------- other replicas

  /** A server cannot be reached at the moment. */
  void troubled(ServerFetch fetch) {
    if (fetch.state() == ServerFetch.State.STREAMING) {
      suspect(fetch);
      start();
    }
  }

  /** Others are asked for what a server does not bring, which may bring it yet. */
  private void suspect(ServerFetch fetch) {
    if (!plan.hasReplicas() || fetch.isSuspected()) {
      return;
    }
    fetch.suspect();
    askOthers(fetch);
    if (!waiting.isEmpty() && active >= maxStreams) {
      // Without credit for both, it waits for its turn behind the others.
      cancel(fetch);
      fetch.done(null);
      active--;
      add(List.of(fetch.anew()));
    }
  }

  /**
   * Asks other members of sets for what is missing: of those of a server in trouble at once, of all
   * when nobody is left who may bring it. A server that has ended in order has brought all it has,
   * and the rest may be with another set.
   */
  private void askOthers(ServerFetch fetch) {
    if (!plan.hasReplicas()) {
      return;
    }
    if (fetch.isSuspected() || fetch.failure() != null) {
      add(plan.more(fetch.partitions(), fetch.index(), this::isHopeful));
    }
    BitSet stuck = new BitSet();
    fetch.partitions().stream().filter(at -> !isHopeful(at)).forEach(stuck::set);
    add(plan.more(stuck, -1, this::isHopeful));
  }

  private void add(List<ServerFetch> more) {
    fetches.addAll(more);
    waiting.addAll(more);
  }

  private boolean isHopeful(int server, int at) {
    return fetches.stream()
        .anyMatch(
            fetch -> fetch.index() == server && fetch.isHopeful() && fetch.partitions().get(at));
  }

  private boolean isHopeful(int at) {
    return fetches.stream().anyMatch(fetch -> fetch.isHopeful() && fetch.partitions().get(at));
  }

  /** Whether a partition lacks something and no server that might have it is left to be asked. */
  private boolean isLossCertain(ServerFetch ended) {
    return ended.partitions().stream()
        .filter(i -> completeness.isIncomplete(scope.firstPartition() + i))
        .anyMatch(i -> fetches.stream().noneMatch(other -> other.mayBring(i)));
  }

  // ---------------------------------------------------------------------------------- waiting

  /** The task is about to wait: servers that need credit get it, and there is a deadline. */
  void waitBegins(long now) {
    for (ServerFetch fetch : fetches) {
      LandingStream landing = fetch.landing();
      if (landing != null) {
        landing.beforeWait();
      }
    }
    if (vainSince < 0) {
      vainSince = now;
    }
    if (stalls != null) {
      stalls.waitBegins(now);
    }
  }

  /**
   * @param inVain whether it ends only because it has lasted for long
   */
  void waitEnds(boolean inVain) {
    if (!inVain) {
      vainSince = -1;
    }
    if (stalls != null) {
      stalls.waitEnds();
    }
  }

  /**
   * Gives up streams that stood still during a wait as long as the deadline, and has others asked
   * before. The task may learn of it late, with more to do before: so only the times count, not
   * when they are looked at.
   */
  void stalled(long from, long to) {
    long deadline = context.config().blockDeadline().toNanos();
    long waitedSince = vainSince < 0 ? from : Math.min(vainSince, from);
    for (ServerFetch fetch : List.copyOf(fetches)) {
      LandingStream landing = fetch.landing();
      if (landing == null) {
        continue;
      }
      long still = to - Math.max(waitedSince, landing.lastMove());
      if (still < patienceNanos()) {
        continue;
      }
      if (still < deadline || fetch.connection().isAwaited()) {
        // A connection that waits says itself when that is over.
        suspect(fetch);
      } else {
        cancel(fetch);
        done(
            fetch,
            new SluiceException(
                ErrorCode.TIMED_OUT,
                "sent nothing for " + context.config().blockDeadline().toSeconds() + " s"));
      }
    }
    start();
  }

  /** Cancels everything under way. */
  void close() {
    if (stalls != null) {
      stalls.close();
    }
    fetches.forEach(FetchSchedule::cancel);
    waiting.clear();
    active = 0;
  }

  private static void cancel(ServerFetch fetch) {
    FetchStream stream = fetch.stream();
    LandingStream landing = fetch.landing();
    if (stream != null && landing != null) {
      landing.cancel(stream);
    }
  }

  // ---------------------------------------------------------------------------------- missing

  /**
   * What to throw when every server was asked and something did not come: a {@link
   * MissingBlocksException}, unless a server that may have it had no room.
   */
  SluiceException missing() {
    SluiceException full = noRoom();
    if (full != null) {
      return full;
    }
    List<MissingMap> maps = completeness.missing();
    ErrorCode code = ErrorCode.DATA_LOST;
    StringBuilder message =
        new StringBuilder("shuffle ")
            .append(scope.shuffle())
            .append(": ")
            .append(maps.size())
            .append(" map outputs are not whole: ");
    for (MissingMap map : maps.subList(0, Math.min(NAMED_IN_MESSAGE, maps.size()))) {
      message.append(map).append(" block ").append(completeness.firstAbsent(map)).append("; ");
    }
    List<Complaint> complaints = new ArrayList<>();
    message.append("asked ");
    String separator = "";
    for (ServerFetch fetch : fetches) {
      if (isWanting(fetch)) {
        message.append(separator).append(fetch.account());
        separator = ", ";
        complain(fetch, complaints);
        code = codeOf(fetch, code);
      }
    }
    return new MissingBlocksException(code, scope.shuffle(), maps, complaints, message.toString());
  }

  /** A server that lives and has no room for the reader has lost nothing. */
  private @Nullable SluiceException noRoom() {
    for (ServerFetch fetch : fetches) {
      SluiceException failure = fetch.failure();
      if (failure != null && failure.code().blame() == Blame.CAPACITY && isWanting(fetch)) {
        return new SluiceException(
            failure.code(),
            "shuffle " + scope.shuffle() + " cannot be read now, asked " + fetch.account(),
            failure);
      }
    }
    return null;
  }

  private static void complain(ServerFetch fetch, List<Complaint> complaints) {
    SluiceException failure = fetch.failure();
    if (failure == null) {
      return;
    }
    switch (failure.code()) {
      case CONNECT_FAILED:
      case CONNECTION_LOST:
      case TIMED_OUT:
      case SHUTTING_DOWN:
      case WRONG_SERVER:
        complaints.add(Complaint.ofServer(fetch.server(), failure.code()));
        break;
      default:
        // The server answered: it has lost something, but it works.
        break;
    }
  }

  private static ErrorCode codeOf(ServerFetch fetch, ErrorCode otherwise) {
    SluiceException failure = fetch.failure();
    if (fetch.corruption() != null) {
      return ErrorCode.CORRUPT_BLOCK;
    }
    return failure != null && otherwise == ErrorCode.DATA_LOST ? failure.code() : otherwise;
  }

  /** Time to ask a server again. */
  private static final class Again extends Arrival {
    private final ServerFetch fetch;

    Again(ServerFetch fetch) {
      this.fetch = fetch;
    }

    @Override
    void deliver(FetchingBlockReader reader) {
      reader.again(fetch);
    }
  }
}
