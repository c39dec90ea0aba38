package io.sluice.client.control;

import com.google.protobuf.ByteString;
import io.sluice.client.ClientSecurity;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.Keys;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.version.ControlVersion;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a quorum of coordinators: finds the leader, follows it when it changes, gives up
 * at a deadline. Thread-safe. Two threads: the scheduler's and one event loop, both daemons.
 */
public final class CoordinatorClient implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CoordinatorClient.class);

  /** How long to ask for the reason of a failure, which is worth telling without it. */
  private static final Duration REASON = Duration.ofSeconds(5);

  private final Optional<Keys> keys;
  private final LeaderCalls calls;
  private final Runnable stopScheduler;

  /**
   * A client over a given scheduler, which stays the caller's.
   *
   * @param scheduler of one thread
   */
  public CoordinatorClient(CoordinatorClientConfig config, Scheduler scheduler) {
    this(config, ClientSecurity.off(), scheduler, () -> {});
  }

  private CoordinatorClient(
      CoordinatorClientConfig config,
      ClientSecurity security,
      Scheduler scheduler,
      Runnable stopScheduler) {
    this.keys = security.keys();
    this.calls = new LeaderCalls(config, scheduler, security);
    security.tls().ifPresent(tls -> tls.material().watch(scheduler));
    this.stopScheduler = stopScheduler;
  }

  /** A client with a thread of its own, that proves nothing. Does not connect yet. */
  public static CoordinatorClient open(CoordinatorClientConfig config) {
    return open(config, ClientSecurity.off());
  }

  /**
   * A client with a thread of its own. Does not connect yet.
   *
   * @param security for whom it calls, and how
   */
  public static CoordinatorClient open(CoordinatorClientConfig config, ClientSecurity security) {
    ThreadScheduler scheduler =
        new ThreadScheduler(
            "sluice-coordinator-client",
            Clock.system(),
            (thread, failure) -> log.error("a task of {} failed", thread.getName(), failure));
    return new CoordinatorClient(config, security, scheduler, scheduler::close);
  }

  /**
   * Makes an application known and keeps it so. Waits for the answer.
   *
   * @throws SluiceException COORDINATOR_UNAVAILABLE naming the addresses tried; QUOTA_EXCEEDED and
   *     other refusals; CANCELLED if the thread was interrupted
   */
  public RegisteredApplication registerApplication(Registration registration) {
    return registerApplication(registration, calls.config().callDeadline());
  }

  /**
   * The same with a patience of the caller's.
   *
   * @param patience at most; one that is used up already gives up at once
   */
  public RegisteredApplication registerApplication(Registration registration, Duration patience) {
    RegisterApplicationRequest request = request(registration);
    RegisteredApplication application =
        new RegisteredApplication(calls, request, registration.application());
    application.registered(
        calls.callAndWait(
            ApplicationServiceGrpc.getRegisterApplicationMethod(), request, patience.toNanos()));
    return application;
  }

  /**
   * Whether an application that was registered before is refused for good, such as one that an
   * operator has ended. Waits for the answer, a few seconds at most. One that all have forgotten is
   * known again.
   *
   * @return the coordinator's reason; empty if it goes on, or nobody says
   */
  public Optional<SluiceException> endedBecause(Registration registration) {
    long nanos = Math.min(REASON.toNanos(), calls.config().callDeadline().toNanos());
    try {
      calls.await(
          calls.call(
              ApplicationServiceGrpc.getRegisterApplicationMethod(),
              request(registration).toBuilder().setAgain(true).build(),
              nanos),
          nanos);
      return Optional.empty();
    } catch (SluiceException refused) {
      return ControlFailures.endedBecause(refused);
    }
  }

  private RegisterApplicationRequest request(Registration registration) {
    RegisterApplicationRequest.Builder message =
        RegisterApplicationRequest.newBuilder()
            .setApplication(ControlMessages.uuid(registration.application()))
            .setEngineId(registration.engineId())
            .setUser(registration.user())
            .setEngine(registration.engine())
            .setClientVersion(registration.clientVersion())
            .setLeaseMillis(registration.lease().toMillis())
            .setOldestVersion(ControlVersion.OLDEST)
            .setNewestVersion(ControlVersion.NEWEST)
            .setPlacement(ControlMessages.wishes(registration.wishes()));
    keys.ifPresent(own -> message.setVerifier(ByteString.copyFrom(own.verifier().encode())));
    return message.build();
  }

  /**
   * The cluster as its leader sees it. Waits for the answer.
   *
   * @throws SluiceException COORDINATOR_UNAVAILABLE naming the addresses tried
   */
  public GetClusterResponse getCluster() {
    return calls.callAndWait(
        ClusterServiceGrpc.getGetClusterMethod(),
        GetClusterRequest.getDefaultInstance(),
        calls.config().callDeadline().toNanos());
  }

  /** Fails what waits, ends watches and heartbeats without ending applications. Idempotent. */
  @Override
  public void close() {
    calls.close();
    stopScheduler.run();
  }
}
