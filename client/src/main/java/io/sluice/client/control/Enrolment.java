package io.sluice.client.control;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.RegisterApplicationResponse;
import io.sluice.proto.version.ControlVersion;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What coordinators know an application by: registers it again when they have forgotten it, until
 * it leaves or they refuse it for good. Thread-safe.
 */
final class Enrolment {
  private static final Logger log = LoggerFactory.getLogger(Enrolment.class);

  private final LeaderCalls calls;
  private final RegisterApplicationRequest registration;
  private final ApplicationId id;
  // Why coordinators refuse it for good.
  private final CompletableFuture<SluiceException> ended = new CompletableFuture<>();
  private volatile boolean left;
  // The version that whoever registered us last speaks with us.
  private volatile int spoken;

  Enrolment(LeaderCalls calls, RegisterApplicationRequest registration, ApplicationId id) {
    this.calls = calls;
    this.registration = registration;
    this.id = id;
  }

  /** A coordinator has registered the application. */
  void registered(RegisterApplicationResponse terms) {
    spoken = terms.getVersion();
  }

  /** The application wants to be known no more. */
  void leave() {
    left = true;
  }

  boolean hasLeft() {
    return left;
  }

  /** Whether coordinators refuse it for good. */
  boolean hasEnded() {
    return ended.isDone();
  }

  /** Hears why coordinators refuse it for good, at once if they have; on any thread. */
  void whenEnded(Consumer<SluiceException> listener) {
    CompletionStage<SluiceException> end = ended;
    end.thenAccept(listener);
  }

  /**
   * @throws SluiceException why coordinators refuse it for good, if they do
   */
  void requireNotEnded() {
    SluiceException reason = ended.getNow(null);
    if (reason != null) {
      throw new SluiceException(reason.code(), reason.detail(), reason);
    }
  }

  /** Registers it with whoever has forgotten it. Does not wait. */
  CompletionStage<RegisterApplicationResponse> again() {
    if (left || hasEnded()) {
      CompletableFuture<RegisterApplicationResponse> over = new CompletableFuture<>();
      over.completeExceptionally(
          new SluiceException(ErrorCode.UNKNOWN_APPLICATION, "application " + id + " has ended"));
      return over;
    }
    log.info("registering application {} again", id);
    CompletionStage<RegisterApplicationResponse> answer =
        calls.call(
            ApplicationServiceGrpc.getRegisterApplicationMethod(),
            withAgain(),
            calls.config().callDeadline().toNanos());
    return answer.whenComplete(
        (terms, refused) -> {
          spoken = terms == null ? spoken : terms.getVersion();
          if (refused != null) {
            noteIfEnded(refused);
          }
        });
  }

  /**
   * The same, and waits for it.
   *
   * @param deadline on the scheduler's clock
   */
  void awaitAgain(long deadline) {
    try {
      register(withAgain(), deadline);
    } catch (SluiceException refused) {
      noteIfEnded(refused);
      throw refused;
    }
  }

  private RegisterApplicationRequest withAgain() {
    return registration.toBuilder().setAgain(true).build();
  }

  private void register(RegisterApplicationRequest request, long deadline) {
    spoken =
        calls
            .callAndWait(
                ApplicationServiceGrpc.getRegisterApplicationMethod(),
                request,
                deadline - calls.scheduler().clock().nanoTime())
            .getVersion();
  }

  private void noteIfEnded(Throwable refused) {
    Optional<SluiceException> reason = ControlFailures.endedBecause(refused);
    if (reason.isPresent() && ended.complete(reason.get())) {
      log.error("{}: its data is gone, and it gets no more", reason.get().detail());
    }
  }

  // ------------------------------------------------------------------------------------- tags

  /** Whether the application asks for servers with tags. */
  boolean asksForTags() {
    return registration.getPlacement().getTagsCount() > 0;
  }

  /**
   * Sees to it that whoever leads knows the tags that are asked for, if any are.
   *
   * @param deadline on the scheduler's clock
   * @throws SluiceException UNSUPPORTED_VERSION if it does not know what they are
   */
  void requireTagsKnown(long deadline) {
    if (asksForTags() && spoken < ControlVersion.WISHES) {
      // Whoever leads now may know them, and has to be told.
      register(registration, deadline);
      if (spoken < ControlVersion.WISHES) {
        throw tagsNotKnown();
      }
    }
  }

  SluiceException tagsNotKnown() {
    return new SluiceException(
        ErrorCode.UNSUPPORTED_VERSION,
        "the application asks for servers with tags "
            + registration.getPlacement().getTagsList()
            + ", and the coordinator that leads is of a version that does not know tags: upgrade"
            + " the coordinators first, or ask for none");
  }
}
