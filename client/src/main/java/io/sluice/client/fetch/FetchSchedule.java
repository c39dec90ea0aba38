package io.sluice.client.fetch;

import io.sluice.client.connection.FetchSpec;
import io.sluice.client.connection.FetchStream;
import io.sluice.common.error.Advice;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which servers are asked now, and which again. On the task's thread. Who is given up, and when, is
 * {@link Patience}'s; who waits for whom is {@link Turns}'; who is asked besides is {@link
 * StandIns}'.
 *
 * <p>Where several servers hold the same, the next one is asked as soon as one is in trouble:
 * fails, cannot be reached, or brings nothing for {@link
 * io.sluice.client.ClientConfig#suspectAfter}. The first is not given up for that; whoever brings
 * what is missing first will do. If nothing comes from a server at all, that holds for what waits
 * for its turn there as well, and so does its end.
 *
 * <p>A stream that breaks is asked for again, there or elsewhere, narrowed to the partitions and
 * maps that are still incomplete; blocks that come twice are recognised by their numbers.
 */
final class FetchSchedule {
  private static final Logger log = LoggerFactory.getLogger(FetchSchedule.class);

  private final ReadScope scope;
  private final FetchContext context;
  private final Completeness completeness;
  private final ArrivalQueue arrivals;
  private final StillWanted wanted;
  private final Requests requests;
  private final Turns turns;
  private final StandIns standIns;
  private final Patience patience;
  private final @Nullable StallWatch stalls;
  private boolean hopeless;

  FetchSchedule(
      ReadScope scope, ReadContext read, Completeness completeness, ArrivalQueue arrivals) {
    this.scope = scope;
    this.context = read.client();
    this.completeness = completeness;
    this.arrivals = arrivals;
    this.wanted = new StillWanted(scope, completeness);
    FetchPlan plan = new FetchPlan(scope, completeness, read.connections(), read.doubted());
    List<ServerFetch> first = plan.first();
    this.requests = new Requests(scope.endPartition() - scope.firstPartition());
    requests.add(first);
    this.turns = new Turns(first, plan.hasReplicas(), read.credit());
    this.standIns = new StandIns(plan, requests, turns, wanted);
    this.patience = new Patience(context.config(), plan.hasReplicas());
    this.stalls =
        first.isEmpty()
            ? null
            : new StallWatch(
                first.get(0).connection().loop(),
                context.clock(),
                patience.silenceNanos(),
                arrivals);
  }

  /** Begins as many streams as there is credit for. */
  void start() {
    do {
      ServerFetch fetch;
      while ((fetch = turns.next()) != null) {
        if (!launch(fetch)) {
          over(fetch, null);
        }
      }
    } while (makeRoom());
  }

  /** Without credit for all, one in trouble waits for its turn behind the others. */
  private boolean makeRoom() {
    ServerFetch inTheWay = turns.inTheWay();
    if (inTheWay == null) {
      return false;
    }
    cancel(inTheWay);
    inTheWay.done(null);
    turns.ended(inTheWay);
    ServerFetch anew = inTheWay.anew();
    requests.add(List.of(anew));
    turns.add(anew);
    return true;
  }

  /** Whether every server has been asked for the last time. */
  boolean isDone() {
    return turns.isEmpty();
  }

  /** Whether something is known to be missing for good, though servers are still being asked. */
  boolean isHopeless() {
    return hopeless;
  }

  /** False if nothing is left to ask for. */
  private boolean launch(ServerFetch fetch) {
    int[] lacking = wanted.of(fetch).toArray();
    if (lacking.length == 0) {
      return false;
    }
    FetchSpec spec = wanted.spec(fetch, lacking);
    LandingStream landing = new LandingStream(fetch, arrivals, context, turns.share());
    fetch.streaming(fetch.connection().fetch(spec, landing, turns.share()), landing);
    return true;
  }

  private void launchOrEnd(ServerFetch fetch) {
    if (!launch(fetch)) {
      done(fetch, null);
    }
  }

  // ----------------------------------------------------------------------------- ends of streams

  /** A stream has ended, or failed. */
  void streamOver(ServerFetch fetch, @Nullable SluiceException cause) {
    if (fetch.state() != ServerFetch.State.STREAMING) {
      return;
    }
    long now = context.clock().nanoTime();
    if (cause == null) {
      if (wanted.isAnyOf(fetch) && fetch.damage().isWorthAnotherLook(now)) {
        askAtOnce(fetch);
      } else {
        done(fetch, null);
      }
      return;
    }
    if (cause.code().blame() == Blame.CORRUPTION) {
      log.warn("damage in shuffle {} from server {}", scope.shuffle(), fetch.server(), cause);
      fetch.damage().met(String.valueOf(cause.getMessage()));
    }
    switch (patience.answer(fetch, cause.code(), now)) {
      case ASK_AFTER_A_PAUSE:
        pause(fetch);
        if (cause.code() == ErrorCode.DISK_FAILED) {
          standIns.askToo(fetch);
          start();
        }
        break;
      case ASK_AT_ONCE:
        askAtOnce(fetch);
        break;
      case GIVE_UP:
        done(fetch, cause);
        break;
      case ABORT:
        throw aborted(cause);
    }
  }

  /** A server cannot be reached, and it was tried for as long as it may be. */
  void givenUp(ServerFetch fetch, @Nullable SluiceException cause) {
    if (fetch.state() != ServerFetch.State.STREAMING) {
      return;
    }
    if (cause != null && cause.code().advice() == Advice.ABORT) {
      throw aborted(cause);
    }
    unreachable(fetch, cause);
  }

  private SluiceException aborted(SluiceException cause) {
    return new SluiceException(
        cause.code(),
        "reading shuffle " + scope.shuffle() + " failed: " + cause.getMessage(),
        cause);
  }

  /**
   * Nothing comes from a server: not what waits there for its turn, or to be asked again, either.
   */
  private void unreachable(ServerFetch fetch, @Nullable SluiceException cause) {
    List<ServerFetch> others = turns.takeWaiting(fetch.index());
    for (ServerFetch other : turns.underWay()) {
      if (other.index() == fetch.index() && other.state() == ServerFetch.State.PAUSED) {
        others.add(other);
      }
    }
    others.forEach(other -> over(other, cause));
    done(fetch, cause);
  }

  /** And others, where they have copies of it. */
  private void askAtOnce(ServerFetch fetch) {
    launchOrEnd(fetch);
    standIns.askToo(fetch);
    start();
  }

  private void pause(ServerFetch fetch) {
    fetch.paused();
    fetch
        .connection()
        .loop()
        .schedule(Patience.pauseNanos(fetch), () -> arrivals.offer(new Again(fetch)));
  }

  /** A pause is over. */
  void again(ServerFetch fetch) {
    if (fetch.state() == ServerFetch.State.PAUSED) {
      launchOrEnd(fetch);
    }
  }

  private void done(ServerFetch fetch, @Nullable SluiceException why) {
    over(fetch, why);
    start();
  }

  private void over(ServerFetch fetch, @Nullable SluiceException why) {
    fetch.done(why);
    turns.ended(fetch);
    standIns.ask(fetch);
    hopeless |= isLossCertain(fetch);
  }

  /** Whether a partition lacks something and no server that might have it is left to be asked. */
  private boolean isLossCertain(ServerFetch ended) {
    return wanted.of(ended).anyMatch(at -> !requests.mayCome(at));
  }

  /** A server cannot be reached at the moment. */
  void troubled(ServerFetch fetch) {
    if (fetch.state() == ServerFetch.State.STREAMING) {
      standIns.suspect(fetch);
      start();
    }
  }

  // ---------------------------------------------------------------------------------- waiting

  /** The task is about to wait: servers that need credit get it, and there is a deadline. */
  void waitBegins(long now) {
    for (ServerFetch fetch : turns.underWay()) {
      LandingStream landing = fetch.landing();
      if (landing != null) {
        landing.beforeWait();
      }
    }
    if (stalls != null) {
      stalls.waitBegins(now);
    }
  }

  /**
   * @param inVain whether it ends only because it has lasted for long
   */
  void waitEnds(boolean inVain) {
    if (stalls != null) {
      stalls.waitEnds(inVain);
    }
  }

  /**
   * Gives up streams that stood still during a wait as long as the deadline, and has others asked
   * before. The task may learn of it late, with more to do before: so only the times count, not
   * when they are looked at. A server that is waited for is not given up here: its connection says
   * itself when that is over.
   */
  void stalled(long from, long to) {
    long waitedSince = stalls == null ? from : stalls.inVainSince(from);
    List<ServerFetch> underWay = List.copyOf(turns.underWay());
    BitSet sending = new BitSet();
    for (ServerFetch fetch : underWay) {
      if (!patience.isSilent(still(fetch, waitedSince, to))) {
        sending.set(fetch.index());
      }
    }
    for (ServerFetch fetch : underWay) {
      long still = still(fetch, waitedSince, to);
      if (patience.isOver(still, fetch)) {
        cancel(fetch);
        SluiceException cause =
            new SluiceException(
                ErrorCode.TIMED_OUT,
                "sent nothing for " + context.config().blockDeadline().toSeconds() + " s");
        if (sending.get(fetch.index())) {
          done(fetch, cause);
        } else {
          unreachable(fetch, cause);
        }
      } else if (patience.isSilent(still)) {
        standIns.suspect(fetch);
      }
    }
    start();
  }

  /** For how long a request has brought nothing; none of it while it pauses. */
  private static long still(ServerFetch fetch, long waitedSince, long now) {
    LandingStream landing = fetch.landing();
    return landing == null ? 0 : now - Math.max(waitedSince, landing.lastMove());
  }

  /** Servers that failed, or left others to do their part; by their index in the placement. */
  BitSet doubted() {
    BitSet doubted = new BitSet();
    requests.all().stream()
        .filter(fetch -> fetch.isSuspected() || fetch.failure() != null)
        .forEach(fetch -> doubted.set(fetch.index()));
    return doubted;
  }

  /** Cancels everything under way. */
  void close() {
    if (stalls != null) {
      stalls.close();
    }
    turns.underWay().forEach(FetchSchedule::cancel);
    turns.clear();
  }

  private static void cancel(ServerFetch fetch) {
    FetchStream stream = fetch.stream();
    LandingStream landing = fetch.landing();
    if (stream != null && landing != null) {
      landing.cancel(stream);
    }
  }

  /** What to throw when every server was asked and something did not come. */
  SluiceException missing() {
    return Shortfall.of(
        scope.shuffle(),
        completeness,
        requests.all().stream().filter(wanted::isAnyOf).collect(Collectors.toList()));
  }
}
