package io.sluice.cli.cluster;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.Advice;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.RootCause;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.error.ErrorTrailer;
import io.sluice.proto.error.OtherProtocol;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Whom to ask next for an answer that only the leader gives: the coordinators that somebody named,
 * in their order, and before the rest of them whomever one of those asked calls the leader. Who was
 * asked and did not lead is asked again if he is called the leader later, since leaders change; who
 * did not answer is not. One search serves one question; for one thread.
 */
final class LeaderSearch {
  /** Far more than there are elections in the time that a command takes. */
  static final int MAX_FOLLOWED = 8;

  /** What coordinators say that will have a leader soon. */
  private static final Set<ErrorCode> ELECTING =
      Set.of(ErrorCode.NOT_LEADER, ErrorCode.COORDINATOR_UNAVAILABLE, ErrorCode.SHUTTING_DOWN);

  private final Deque<String> next;
  private final Set<String> silent = new HashSet<>();
  private final List<String> reasons = new ArrayList<>();
  private boolean electing;
  private boolean unsettled;
  private int followed;

  /**
   * @param coordinators host:port of each; the leader need not be among them
   */
  LeaderSearch(Collection<String> coordinators) {
    this.next = new ArrayDeque<>(new LinkedHashSet<>(coordinators));
  }

  /** Whom to ask now; empty if there is nobody left. */
  Optional<String> next() {
    return Optional.ofNullable(next.pollFirst());
  }

  /**
   * Notes that a coordinator did not answer the question, and whom it named instead.
   *
   * @throws CommandFailedException FAILED if no other coordinator would say anything else
   */
  void failed(String coordinator, StatusRuntimeException failure) {
    Optional<ErrorDetail> detail = ErrorTrailer.read(failure);
    if (detail.isPresent() && code(detail.get()).advice() == Advice.ABORT) {
      throw new CommandFailedException(
          ExitCode.FAILED, detail.get().getMessage() + " (" + code(detail.get()) + ")");
    }
    reasons.add(
        coordinator
            + ": "
            + detail.map(ErrorDetail::getMessage).orElseGet(() -> describe(failure.getStatus())));
    if (detail.isEmpty()) {
      silent.add(coordinator);
    }
    detail.map(LeaderSearch::code).ifPresent(code -> electing |= ELECTING.contains(code));
    detail.flatMap(said -> HostPort.tryParse(said.getLeader())).ifPresent(this::follow);
  }

  private static ErrorCode code(ErrorDetail said) {
    return ErrorCode.ofNumbers(said.getCode(), said.getNewerCode());
  }

  /**
   * Notes that a coordinator cannot say anything now: because it does not lead, or leads and is not
   * settled.
   *
   * @param code its own, as text
   */
  void notNow(String coordinator, String code, String message) {
    reasons.add(coordinator + ": " + message);
    if (code.equals(ErrorCode.NOT_LEADER.name())) {
      electing = true;
    } else {
      unsettled = true;
    }
  }

  /**
   * Whether somebody is there who does not lead, or not yet or no more. Once all have been asked,
   * that means an election: whom they named did not answer either.
   */
  boolean isElecting() {
    return electing || unsettled;
  }

  /** Why nobody has answered, in a few words. */
  String trouble() {
    if (unsettled) {
      return "the leader cannot answer yet";
    }
    return electing ? "no coordinator leads" : "no coordinator answers";
  }

  private void follow(HostPort named) {
    String leader = named.toString();
    if (!silent.contains(leader) && followed < MAX_FOLLOWED) {
      followed++;
      next.remove(leader);
      next.addFirst(leader);
    }
  }

  /** A failure of the network or of gRPC itself, in a few words. */
  static String describe(Status status) {
    String description = status.getDescription();
    String why =
        OtherProtocol.told(status.getCause())
            .orElseGet(
                () -> RootCause.behind(description == null ? "" : description, status.getCause()));
    return status.getCode() + (why.isEmpty() ? "" : " (" + why + ")");
  }

  /** What everybody said who was asked. */
  CommandFailedException nobodyAnswers() {
    return new CommandFailedException(
        ExitCode.UNAVAILABLE, trouble() + ": " + String.join("; ", reasons));
  }
}
