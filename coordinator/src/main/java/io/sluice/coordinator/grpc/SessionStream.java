package io.sluice.coordinator.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.ServerSession;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.ServerChannel;
import io.sluice.proto.control.v1.Leader;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.Uuid;
import org.jspecify.annotations.Nullable;

/** A server's stream: reports in, directives out. */
final class SessionStream implements StreamObserver<ServerReport>, ServerChannel {
  /** Reports that a server may send before it hears that they are taken. */
  private static final int AHEAD = 8;

  /** So many are asked for at once: to ask wakes an event loop. */
  private static final int ASK = AHEAD / 2;

  private final Leadership leadership;
  private final boolean secured;
  private final ServerCallStreamObserver<ServerDirective> caller;
  private @Nullable ServerSession session;
  private boolean ended;
  private int taken;
  // Both speak it; known before anything is sent.
  private int version;
  // What is yet to be said with the first directive.
  private @Nullable Leader leader;

  /**
   * @param secured whether servers have proved themselves, and may be told what applications do so
   *     with
   */
  SessionStream(
      Leadership leadership, boolean secured, ServerCallStreamObserver<ServerDirective> caller) {
    this.leadership = leadership;
    this.secured = secured;
    this.caller = caller;
  }

  /** To be called before the call's method returns. */
  void open() {
    caller.disableAutoRequest();
    caller.request(AHEAD);
    caller.setOnReadyHandler(
        () -> {
          if (session != null) {
            session.ready();
          }
        });
    caller.setOnCancelHandler(this::gone);
  }

  @Override
  public void onNext(ServerReport report) {
    if (ended) {
      return;
    }
    taken++;
    if (taken == ASK) {
      taken = 0;
      caller.request(ASK);
    }
    try {
      take(report);
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void take(ServerReport report) {
    if (session != null) {
      session.report(Requests.report(report));
    } else if (report.getHello().getWantsVerifiers() != secured) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "security.enabled is " + secured + " here, and not at the server");
    } else if (report.hasHello()) {
      Cluster cluster = leadership.cluster();
      version =
          Requests.version(
              "server", report.getHello().getOldestVersion(), report.getHello().getNewestVersion());
      leader = leader(cluster.term());
      session =
          cluster.openSession(Requests.hello(report.getHello()), Requests.report(report), this);
    } else {
      throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "the first report has no hello");
    }
  }

  private Leader leader(long term) {
    Leader.Builder who = Leader.newBuilder().setTerm(term);
    leadership
        .clusterId()
        .ifPresent(id -> who.setCluster(Uuid.newBuilder().setHigh(id.high()).setLow(id.low())));
    return who.build();
  }

  private void fail(Throwable failure) {
    if (!ended) {
      caller.onError(ControlErrors.toStatus(failure));
      gone();
    }
  }

  private void gone() {
    ended = true;
    if (session != null) {
      session.disconnected();
    }
  }

  /** The connection broke, or the server cancelled. */
  @Override
  public void onError(Throwable failure) {
    gone();
  }

  @Override
  public void onCompleted() {
    if (!ended) {
      gone();
      caller.onCompleted();
    }
  }

  @Override
  public boolean isReady() {
    return !ended && caller.isReady();
  }

  @Override
  public void send(Directive directive) {
    if (ended) {
      return;
    }
    ServerDirective message = Responses.directive(directive, version);
    if (leader != null) {
      message = message.toBuilder().setLeader(leader).build();
      leader = null;
    }
    caller.onNext(message);
  }

  @Override
  public void end(SluiceException reason) {
    if (!ended) {
      ended = true;
      caller.onError(ControlErrors.toStatus(reason));
    }
  }
}
