package io.sluice.server.control;

import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.RootCause;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerHello;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.ServerWelcome;
import io.sluice.proto.error.OtherProtocol;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one stream open to the leader: says hello, reports every interval, carries out directives.
 *
 * <p>When a stream ends, the next one goes to the leader if the coordinator named it, else to the
 * next coordinator of the list, after a delay that doubles from {@value
 * CoordinatorTurns#MIN_DELAY_MILLIS} ms to {@value CoordinatorTurns#MAX_DELAY_MILLIS} ms and starts
 * anew with each welcome; who was named is asked after the shortest, unless it was somebody named
 * who names him. A coordinator that says nothing for {@value #WELCOME_SECONDS} s counts as gone,
 * and one that leads another cluster as none that leads.
 *
 * <p>All methods run on the scheduler, but for those that say otherwise.
 */
public final class ControlSession implements AutoCloseable {
  static final long WELCOME_SECONDS = 10;

  private static final Logger log = LoggerFactory.getLogger(ControlSession.class);

  private final CoordinatorTurns turns;
  private final ControlConnector connector;
  private final ControlHandler handler;
  private final Scheduler scheduler;
  private final FollowedCluster followed = new FollowedCluster();
  private final Unheard unheard;
  // What the leader wants, and what has come of it.
  private boolean toDrain;
  private boolean draining;
  private boolean stopping;
  private boolean dataLost;
  private boolean finishing;
  private boolean closed;
  // Whether it was said that no coordinator takes this server, which is said once.
  private boolean toldOfSilence;
  private @Nullable ControlAttempt current;
  private final CompletableFuture<Void> firstAdmission = new CompletableFuture<>();
  private final CompletableFuture<Void> finished = new CompletableFuture<>();
  private volatile boolean admitted;

  public ControlSession(
      List<HostPort> coordinators,
      ControlConnector connector,
      ControlHandler handler,
      Scheduler scheduler) {
    this.turns = new CoordinatorTurns(coordinators);
    this.connector = connector;
    this.handler = handler;
    this.scheduler = scheduler;
    this.unheard = new Unheard(scheduler, handler::unheard);
  }

  /** Whether the leader has welcomed this server and the stream lives. Any thread. */
  public boolean admitted() {
    return admitted;
  }

  /** Why the leader that answered last is not followed; empty if it is. Any thread. */
  public Optional<String> problem() {
    return followed.problem();
  }

  /**
   * Completes when a leader has welcomed this server for the first time; fails with
   * INVALID_CONFIGURATION if it will not, whereupon none is asked again. Any thread.
   */
  public CompletionStage<Void> firstAdmission() {
    return firstAdmission.minimalCompletionStage();
  }

  /** Begins to look for the leader. Any thread, once. */
  public void start() {
    scheduler.execute(
        () -> {
          unheard.begin();
          connectNext();
        });
  }

  /** Tells the leader that the server is about to stop, and will be back. Any thread. */
  public void stopping() {
    scheduler.execute(
        () -> {
          stopping = true;
          reportNow();
        });
  }

  /**
   * Tells the leader, with the last report, that the server stops without all that it acknowledged.
   * Should that not reach it, the server is waited for until it is back or the grace is over. Any
   * thread.
   */
  public void stoppingWithLoss() {
    scheduler.execute(
        () -> {
          stopping = true;
          dataLost = true;
          reportNow();
        });
  }

  /**
   * Ends the session once the leader has taken all that was said, and connects no more. Any thread.
   *
   * @return completes then, or at once where nobody listens. A leader that says nothing any more is
   *     not found out here
   */
  public CompletionStage<Void> finish() {
    scheduler.execute(
        () -> {
          finishing = true;
          ControlAttempt to = current;
          if (to != null && to.stream != null && admitted && !closed) {
            to.stream.finish();
          } else {
            close();
            finished.complete(null);
          }
        });
    return finished.minimalCompletionStage();
  }

  /** Tells the leader at once that something has changed. Any thread. */
  public void changed() {
    scheduler.execute(this::reportNow);
  }

  /**
   * Introduces the server anew, on a new stream to the same coordinator: what its hello says has
   * changed. Any thread.
   */
  public void introduce() {
    scheduler.execute(
        () -> {
          ControlAttempt old = current;
          if (old != null && admitted && !closed && !finishing) {
            connectAnew(old);
          }
        });
  }

  private void connectAnew(ControlAttempt old) {
    if (admitted) {
      admitted = false;
      unheard.begin();
      followed.heard(now());
    }
    old.stop();
    connect(old.target);
  }

  private void connectNext() {
    connect(turns.next());
  }

  private void connect(HostPort target) {
    if (closed) {
      return;
    }
    ControlAttempt attempt = new ControlAttempt(target, scheduler, this::take, this::end);
    current = attempt;
    try {
      begin(attempt);
    } catch (RuntimeException e) {
      // Whatever it is: a server that stops asking is lost to the cluster.
      log.error("no session can be opened with coordinator {}", target, e);
      end(attempt, e);
    }
  }

  private void begin(ControlAttempt attempt) {
    attempt.stream = connector.open(attempt.target, attempt);
    attempt.timer =
        scheduler.schedule(
            TimeUnit.SECONDS.toNanos(WELCOME_SECONDS),
            () ->
                end(
                    attempt,
                    new SluiceException(
                        ErrorCode.TIMED_OUT, "no welcome in " + WELCOME_SECONDS + " s")));
    // First, since it begins the telling of what applications use.
    ServerHello hello = handler.hello();
    attempt.incarnation = hello.getAddress().getIncarnation();
    attempt.stream.send(news().setHello(hello).build());
  }

  private ServerReport.Builder news() {
    return ServerReport.newBuilder()
        .setLoad(handler.load().toBuilder().addAllApplications(handler.usageNews()))
        .setDraining(draining)
        .setStopping(stopping)
        .setDataLost(dataLost);
  }

  private void take(ControlAttempt from, ServerDirective directive) {
    if (from != current || closed) {
      return;
    }
    if (!from.believed && !followed.believes(from.target, directive, now())) {
      end(from, new SluiceException(ErrorCode.NOT_LEADER, "it leads others"));
      return;
    }
    from.believed = true;
    switch (directive.getDirectiveCase()) {
      case WELCOME -> welcome(from, directive.getWelcome());
      case REMOVE_SHUFFLE -> {
        handler.removeShuffle(Directives.shuffle(directive.getRemoveShuffle()));
        reportIfDrained();
      }
      case REMOVE_APPLICATION -> {
        handler.removeApplication(Directives.application(directive.getRemoveApplication()));
        reportIfDrained();
      }
      case APPLICATIONS_RETURNED ->
          handler.returned(
              directive.getApplicationsReturned().getApplicationsList().stream()
                  .map(Directives::application)
                  .toList());
      case DRAIN -> drain(directive.getDrain());
      case FENCE_INCARNATION -> fence(directive.getFenceIncarnation());
      case APPLICATION_USERS -> handler.users(Directives.users(directive.getApplicationUsers()));
      case APPLICATION_VERIFIERS ->
          handler.verifiers(Directives.verifiers(directive.getApplicationVerifiers()));
      case DIRECTIVE_NOT_SET ->
          log.warn("coordinator {} sent a directive this version does not know", from.target);
    }
  }

  private void welcome(ControlAttempt from, ServerWelcome welcome) {
    admitted = true;
    firstAdmission.complete(null);
    turns.welcomed();
    toldOfSilence = false;
    from.intervalNanos =
        TimeUnit.MILLISECONDS.toNanos(Math.max(1, welcome.getHeartbeatIntervalMillis()));
    unheard.end(from.intervalNanos);
    log.info("coordinator {} leads term {}", from.target, welcome.getTerm());
    from.restartTimer(() -> report(from));
  }

  private void fence(long lost) {
    handler
        .fence(lost)
        .thenAccept(
            risen -> {
              if (risen) {
                scheduler.execute(() -> comeAgain(lost));
              }
            });
  }

  /**
   * Whoever was told of a life that is lost, this leader or the next, has to hear of the new one.
   */
  private void comeAgain(long lost) {
    ControlAttempt old = current;
    if (old != null && old.incarnation <= lost && !closed && !finishing) {
      connectAnew(old);
    }
  }

  private void drain(boolean begins) {
    toDrain = begins;
    handler
        .drain(begins)
        .whenComplete((nothing, failure) -> scheduler.execute(() -> drains(begins, failure)));
  }

  private void drains(boolean begins, @Nullable Throwable failure) {
    if (failure != null) {
      log.error("the server cannot be drained", failure);
    } else if (toDrain == begins && draining != begins) {
      draining = begins;
      log.info("the server {}", begins ? "takes no more blocks" : "takes blocks again");
      reportNow();
    }
  }

  /** Who waits for the server to become empty is not to wait for the next report as well. */
  private void reportIfDrained() {
    if (draining && handler.load().getPartitions() == 0) {
      reportNow();
    }
  }

  private void report(ControlAttempt to) {
    if (to == current && !closed) {
      send(to);
      to.restartTimer(() -> report(to));
    }
  }

  private void reportNow() {
    ControlAttempt to = current;
    if (to != null && admitted && !closed) {
      send(to);
    }
  }

  private void send(ControlAttempt to) {
    ControlConnector.ControlStream stream = to.stream;
    // Load is soft state: while the stream is full, an older report is under way already. That this
    // server stops is none.
    if (stream != null && (stopping || stream.isReady())) {
      stream.send(news().build());
    }
  }

  private void end(ControlAttempt ended, Throwable reason) {
    if (ended != current || closed) {
      return;
    }
    boolean was = admitted;
    if (was) {
      followed.heard(now());
    }
    admitted = false;
    current = null;
    ended.stop();
    if (finishing) {
      closed = true;
      unheard.close();
      finished.complete(null);
      return;
    }
    if (!firstAdmission.isDone() && Refusals.isForGood(reason)) {
      closed = true;
      unheard.close();
      firstAdmission.completeExceptionally(Refusals.refusal(reason));
      return;
    }
    unheard.begin();
    Optional<HostPort> leader = Refusals.leader(reason);
    if (leader.isPresent() && !leader.get().equals(ended.target)) {
      log.info("coordinator {} names {} as the leader", ended.target, leader.get());
      scheduler.schedule(turns.delayToNamed(), () -> connect(leader.get()));
      return;
    }
    if (was || (turns.slowest() && !toldOfSilence)) {
      toldOfSilence = !was;
      log.warn(
          "no session with coordinator {}: {}",
          ended.target,
          OtherProtocol.told(reason)
              .orElseGet(
                  () -> RootCause.behind(String.valueOf(reason.getMessage()), reason.getCause())));
    }
    scheduler.schedule(turns.delay(), this::connectNext);
  }

  private long now() {
    return scheduler.clock().nanoTime();
  }

  /** Ends the stream and connects no more. On the scheduler, or after it has stopped. */
  @Override
  public void close() {
    closed = true;
    admitted = false;
    unheard.close();
    if (current != null) {
      current.stop();
      current = null;
    }
  }
}
