package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.leadership.NotLeaderException;
import io.sluice.http.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The operations of the interface, and where they run. Thread-safe. */
public final class RestApi {
  private final Scheduler control;
  private final Leadership leadership;
  private final Executor encoder;
  private final AuditLog audit;
  private final List<Route> routes = new ArrayList<>();

  /**
   * @param control the control thread
   * @param encoder makes JSON; may refuse, then so is the call
   * @param audit what is changed here
   */
  public RestApi(Scheduler control, Leadership leadership, Executor encoder, AuditLog audit) {
    this.control = control;
    this.leadership = leadership;
    this.encoder = encoder;
    this.audit = audit;
    routes.addAll(ClusterRoutes.routes(leadership, control.clock()));
    routes.addAll(ServerRoutes.routes());
    routes.addAll(ApplicationRoutes.routes());
    routes.addAll(AdmissionRoutes.routes());
  }

  /** Where changes are noted. */
  public AuditLog audit() {
    return audit;
  }

  /** Every method and path that it knows, such as {@code GET /api/v1/servers}. */
  public List<String> operations() {
    return routes.stream()
        .map(route -> route.method() + " /" + String.join("/", route.template()))
        .toList();
  }

  /** What runs here, and what its clock says; asked of this process whether it leads or not. */
  OwnVersion version() {
    return OwnVersion.at(control.clock().wallTimeMillis());
  }

  /**
   * Runs a call here, if this coordinator leads, or if it is about this process. Any thread.
   *
   * @return the answer, refusals included; fails with NotLeaderException
   */
  public CompletionStage<Answer> call(Call call) {
    if (call.method().equals("GET") && call.path().equals(RestSite.VERSION)) {
      return CompletableFuture.completedFuture(ok(version()));
    }
    return audit.noted(call, find(call, ready -> onControl(call, ready)));
  }

  /** The same, but passed on to whoever leads if this coordinator does not. */
  CompletionStage<Answer> callOrForward(Call call, LeaderForward forward) {
    return find(
            call,
            ready ->
                onControl(call, ready)
                    .handle((answer, failure) -> forwarded(call, answer, failure, forward))
                    .thenCompose(next -> next))
        .exceptionally(Errors::answer);
  }

  private static CompletionStage<Answer> forwarded(
      Call call, @Nullable Answer answer, @Nullable Throwable failure, LeaderForward forward) {
    if (answer != null) {
      return CompletableFuture.completedFuture(answer);
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof NotLeaderException elsewhere && !elsewhere.leader().isEmpty()) {
      return forward.forward(elsewhere.leader(), call);
    }
    return CompletableFuture.failedFuture(
        cause == null ? new IllegalStateException("neither answer nor failure") : cause);
  }

  /** A route with what the path says. */
  private record Ready(Route route, Map<String, String> names) {}

  /** Goes on with a call's operation, if there is one and the caller may. */
  private interface Next {
    CompletionStage<Answer> go(Ready ready);
  }

  private CompletionStage<Answer> find(Call call, Next next) {
    Ready ready;
    try {
      ready = route(call);
    } catch (SluiceException refusal) {
      return CompletableFuture.completedFuture(Errors.answer(refusal));
    }
    return next.go(ready);
  }

  private Ready route(Call call) {
    List<String> segments = call.segments();
    TreeSet<String> others = new TreeSet<>();
    for (Route route : routes) {
      Optional<Map<String, String>> names = route.match(segments);
      if (names.isPresent() && route.method().equals(call.method())) {
        requireRole(call, route.role());
        call.requireKnown(route.parameters());
        return new Ready(route, names.get());
      }
      names.ifPresent(found -> others.add(route.method()));
    }
    if (!others.isEmpty()) {
      throw RestException.notAllowed(call.method(), call.path(), others);
    }
    throw RestException.notFound(
        "nothing is at " + call.path() + "; /api/v1/openapi.yaml says what is");
  }

  /**
   * @throws SluiceException AUTHENTICATION_FAILED
   */
  static void requireReader(Call call) {
    requireRole(call, Role.READER);
  }

  private static void requireRole(Call call, Role needed) {
    if (call.role().includes(needed)) {
      return;
    }
    if (call.role() == Role.NOBODY) {
      throw new SluiceException(
          ErrorCode.AUTHENTICATION_FAILED,
          "show a token: the one in coordinator.http.read-token-file to look, in"
              + " coordinator.http.admin-token-file to change things");
    }
    throw new SluiceException(
        ErrorCode.ACCESS_DENIED, "you may look at things here, and not change them");
  }

  private CompletionStage<Answer> onControl(Call call, Ready ready) {
    CompletableFuture<Object> result = new CompletableFuture<>();
    control.execute(
        () -> {
          try {
            Cluster cluster = leadership.cluster();
            ready
                .route()
                .operation()
                .run(cluster, call, ready.names())
                .whenComplete(
                    (value, failure) -> {
                      if (failure != null) {
                        result.completeExceptionally(failure);
                      } else {
                        result.complete(value);
                      }
                    });
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          }
        });
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    CompletionStage<Object> ran = result;
    ran.whenComplete((value, failure) -> encode(value, failure, answer));
    return answer;
  }

  private void encode(Object value, @Nullable Throwable failure, CompletableFuture<Answer> answer) {
    if (failure instanceof NotLeaderException) {
      answer.completeExceptionally(failure);
      return;
    }
    try {
      encoder.execute(
          () -> {
            try {
              answer.complete(failure == null ? ok(value) : Errors.answer(failure));
            } catch (RuntimeException e) {
              answer.complete(Errors.answer(e));
            }
          });
    } catch (RejectedExecutionException e) {
      answer.complete(
          Errors.answer(
              new SluiceException(
                  ErrorCode.TOO_MANY_STREAMS, "too many calls wait for their answers", e)));
    }
  }

  private static Answer ok(Object value) {
    return value instanceof Done
        ? new Answer(204, Json.TYPE, Map.of(), new byte[0])
        : new Answer(200, Json.TYPE, Map.of(), Json.write(value));
  }

  /** An answer that says no more than that it is done. */
  enum Done {
    DONE
  }
}
