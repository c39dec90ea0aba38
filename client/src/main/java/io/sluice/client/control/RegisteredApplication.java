package io.sluice.client.control;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.CreateShuffleResponse;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.RegisterApplicationResponse;
import io.sluice.proto.control.v1.UnregisterApplicationRequest;
import io.sluice.proto.control.v1.WatchServersRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An application that a coordinator knows, kept known by heartbeats until it is closed. If the
 * coordinators forget it, it is registered again without its owner noticing; if they refuse that
 * for good, as they do when an operator has ended it, whoever wants to know that is told, and every
 * call fails with their reason.
 */
public final class RegisteredApplication implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RegisteredApplication.class);

  /** How long closing waits for the coordinator; the lease's end does the same work later. */
  private static final Duration FAREWELL = Duration.ofSeconds(5);

  private final LeaderCalls calls;
  private final ApplicationId id;
  private final Removals removals;
  private final HeldShuffles held = new HeldShuffles();
  private final Enrolment enrolment;
  private final Heartbeats heartbeats;
  // A closed one stays, and takes no harm; an application has one, as a rule.
  private final List<ServerWatch> watches = new CopyOnWriteArrayList<>();
  // Coordinators know that it has left.
  private volatile boolean over;

  RegisteredApplication(
      LeaderCalls calls, RegisterApplicationRequest registration, ApplicationId id) {
    this.calls = calls;
    this.id = id;
    this.enrolment = new Enrolment(calls, registration, id);
    this.removals =
        new Removals(
            calls.scheduler(),
            request ->
                calls.call(
                    ApplicationServiceGrpc.getRemoveShuffleMethod(),
                    request,
                    calls.config().callDeadline().toNanos()));
    this.heartbeats = new Heartbeats(calls, id, enrolment, held, removals);
  }

  public ApplicationId id() {
    return id;
  }

  /** Begins to send heartbeats. */
  void registered(RegisterApplicationResponse terms) {
    enrolment.registered(terms);
    held.answered(terms.getTerm(), false);
    heartbeats.begin(terms);
  }

  // -------------------------------------------------------------------------------- shuffles

  /**
   * Places a shuffle, or finds where it was placed. Waits for the answer, and until the call's
   * deadline for servers to be there; not to be called on the scheduler's thread.
   *
   * @param partitions at least 0
   * @param replicas servers per partition, 0 for the cluster's default
   * @param excluded servers not to be used
   * @throws SluiceException NO_SERVERS, QUOTA_EXCEEDED, INVALID_ARGUMENT, COORDINATOR_UNAVAILABLE,
   *     CANCELLED if the thread was interrupted, SHUTTING_DOWN; UNSUPPORTED_VERSION if the
   *     application asks for tags and the leader does not know what they are; APPLICATION_ENDED if
   *     an operator has ended the application
   */
  public FixedPlacement createShuffle(
      ShuffleKey shuffle, int partitions, int replicas, Collection<ServerId> excluded) {
    Duration patience = calls.config().callDeadline();
    return createShuffle(shuffle, partitions, replicas, excluded, patience, false);
  }

  /**
   * The same for a shuffle that nobody else asks for. If the thread is interrupted, what is placed
   * yet is removed: of one that others share that would be theirs.
   *
   * @param patience for all that it takes, registering again included; one that is used up already
   *     gives up at once
   */
  public FixedPlacement createOwnShuffle(
      ShuffleKey shuffle,
      int partitions,
      int replicas,
      Collection<ServerId> excluded,
      Duration patience) {
    return createShuffle(shuffle, partitions, replicas, excluded, patience, true);
  }

  /**
   * Begins to place a shuffle that nobody has asked for yet. Does not wait.
   *
   * @param keep how long it is kept for somebody who does
   */
  public ShuffleAhead createAhead(ShuffleKey shuffle, int partitions, int replicas, Duration keep) {
    CompletionStage<FixedPlacement> placed =
        calls
            .call(
                ApplicationServiceGrpc.getCreateShuffleMethod(),
                request(shuffle, partitions, replicas, List.of()),
                keep.toNanos())
            .thenApply(response -> placed(shuffle, partitions, response));
    return new ShuffleAhead(calls, placed, () -> giveUp(shuffle, List.of()), keep);
  }

  private FixedPlacement createShuffle(
      ShuffleKey shuffle,
      int partitions,
      int replicas,
      Collection<ServerId> excluded,
      Duration patience,
      boolean own) {
    long deadline = calls.scheduler().clock().nanoTime() + patience.toNanos();
    enrolment.requireNotEnded();
    CreateShuffleRequest request = request(shuffle, partitions, replicas, excluded);
    enrolment.requireTagsKnown(deadline);
    CreateShuffleResponse response;
    try {
      response = create(shuffle, request, deadline, own);
    } catch (SluiceException e) {
      if (!ControlFailures.isUnknownApplication(e)) {
        throw e;
      }
      // A new leader that has not met us yet, or one that has given us up.
      enrolment.awaitAgain(deadline);
      held.forgotten();
      response = create(shuffle, request, deadline, own);
    }
    return placed(shuffle, partitions, response);
  }

  private static CreateShuffleRequest request(
      ShuffleKey shuffle, int partitions, int replicas, Collection<ServerId> excluded) {
    CreateShuffleRequest.Builder request =
        CreateShuffleRequest.newBuilder()
            .setShuffle(ControlMessages.shuffle(shuffle))
            .setPartitions(partitions)
            .setReplicas(replicas);
    excluded.forEach(server -> request.addExcludedServers(ControlMessages.uuid(server)));
    return request.build();
  }

  private FixedPlacement placed(
      ShuffleKey shuffle, int partitions, CreateShuffleResponse response) {
    if (enrolment.asksForTags() && response.getTerm() == 0) {
      // From a leader of an earlier version, which does not name its term either.
      removals.remove(shuffle, List.of());
      throw enrolment.tagsNotKnown();
    }
    held.placed(shuffle, response.getPlacement().getAssignmentCount());
    removals.placed(shuffle);
    FixedPlacement placement =
        ControlMessages.placement(shuffle, partitions, response.getPlacement());
    long term = response.getTerm();
    watches.forEach(watch -> watch.placed(shuffle, placement.servers(), term));
    return placement;
  }

  /**
   * The driver itself gives partitions of a shuffle to these servers: watches are about them too
   * from now on. To be called before others see that placement, and not once the shuffle is
   * removed. Thread-safe; does not block.
   */
  public void moved(ShuffleKey shuffle, Collection<PlacedServer> servers) {
    watches.forEach(watch -> watch.placed(shuffle, servers, 0));
  }

  private CreateShuffleResponse create(
      ShuffleKey shuffle, CreateShuffleRequest request, long deadline, boolean own) {
    long nanos = deadline - calls.scheduler().clock().nanoTime();
    CompletionStage<CreateShuffleResponse> answer =
        calls.callAwaited(ApplicationServiceGrpc.getCreateShuffleMethod(), request, nanos);
    try {
      return calls.await(answer, nanos);
    } catch (SluiceException e) {
      if (own && e.code() == ErrorCode.CANCELLED) {
        // Nobody waits any more, and the call goes on: what is placed yet would be nobody's.
        answer.thenAccept(placed -> removals.remove(shuffle, List.of()));
      }
      throw e;
    }
  }

  /** Gives up a shuffle that lies where it was placed. */
  public void removeShuffle(ShuffleKey shuffle) {
    removeShuffle(shuffle, List.of());
  }

  /**
   * Gives a shuffle up, in the background. If coordinators are away that is made up for once they
   * are heard again; if they never are, its data goes with the application.
   *
   * @param later servers that its later epochs name
   */
  public void removeShuffle(ShuffleKey shuffle, Collection<ServerId> later) {
    giveUp(shuffle, later);
  }

  private CompletionStage<?> giveUp(ShuffleKey shuffle, Collection<ServerId> later) {
    held.removed(shuffle);
    watches.forEach(watch -> watch.removed(shuffle));
    return removals.remove(shuffle, later);
  }

  // --------------------------------------------------------------------------------- servers

  /**
   * Tells a listener what happens to servers until the watch, or the client, is closed, or the
   * application is refused for good.
   */
  public ServerWatch watchServers(ServerListener listener) {
    WatchServersRequest request =
        WatchServersRequest.newBuilder().setApplication(ControlMessages.uuid(id)).build();
    ServerWatch watch = new ServerWatch(calls, request, enrolment::again, listener);
    watches.add(watch);
    calls.scheduler().execute(watch::open);
    enrolment.whenEnded(reason -> watch.close());
    return watch;
  }

  /**
   * Tells a listener if coordinators refuse the application for good; at once if they have done so
   * already, and not once it, or the client, is closed.
   */
  public void whenEnded(EndListener listener) {
    enrolment.whenEnded(reason -> calls.scheduler().execute(() -> tell(listener, reason)));
  }

  private void tell(EndListener listener, SluiceException reason) {
    if (!enrolment.hasLeft() && !calls.isClosed()) {
      listener.ended(reason);
    }
  }

  /**
   * Ends the application: everything it stored is dropped. Waits a few seconds at most; if no
   * coordinator answers, the end of the lease does it. Idempotent, and nothing after {@link #end}.
   */
  @Override
  public void close() {
    if (enrolment.hasLeft()) {
      return;
    }
    try {
      end();
    } catch (SluiceException e) {
      log.warn("application {} could not be ended; its lease will", id, e);
    }
  }

  /**
   * As {@link #close}, for whoever can try again.
   *
   * @throws SluiceException if no coordinator has said within a few seconds that it is ended
   */
  public void end() {
    end(FAREWELL);
  }

  /**
   * The same with a patience of the caller's, which may outlast an election. Nothing if a
   * coordinator has said so before, or others have ended it; may be tried again after a failure.
   *
   * @param patience above 0
   * @throws SluiceException if no coordinator has said by then that it is ended
   */
  public void end(Duration patience) {
    enrolment.leave();
    heartbeats.end();
    if (over || enrolment.hasEnded()) {
      return;
    }
    UnregisterApplicationRequest request =
        UnregisterApplicationRequest.newBuilder().setApplication(ControlMessages.uuid(id)).build();
    calls.await(
        calls.call(
            ApplicationServiceGrpc.getUnregisterApplicationMethod(), request, patience.toNanos()),
        patience.toNanos());
    over = true;
  }
}
