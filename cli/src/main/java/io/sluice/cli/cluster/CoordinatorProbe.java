package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.time.Clock;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.error.ErrorTrailer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Asks one coordinator, whether it leads or not, and follows nobody. For one thread. */
final class CoordinatorProbe {
  /** One that is there answers in milliseconds; one that is not must not hold up the others. */
  private static final long DEADLINE_SECONDS = 3;

  private static final int OK = 200;

  private final String coordinator;
  private final Channel channel;
  private final Clock clock;

  private CoordinatorProbe(String coordinator, Channel channel, Clock clock) {
    this.coordinator = coordinator;
    this.channel = channel;
    this.clock = clock;
  }

  /** Never throws for what the coordinator does. */
  static CoordinatorWord ask(CoordinatorChannels channels, String coordinator, Clock clock) {
    ManagedChannel channel = channels.to(coordinator);
    try {
      return new CoordinatorProbe(coordinator, channel, clock).ask();
    } catch (StatusRuntimeException failure) {
      return CoordinatorWord.silent(
          coordinator,
          ErrorTrailer.read(failure)
              .map(ErrorDetail::getMessage)
              .orElseGet(() -> LeaderSearch.describe(failure.getStatus())));
    } finally {
      channel.shutdownNow();
    }
  }

  private CoordinatorWord ask() {
    Leader leader = leader();
    if (call("/version").getStatus() != OK) {
      return new CoordinatorWord(
          coordinator, "", "", leader.name(), leader.itself(), Optional.empty());
    }
    ClockReading.Timed<JsonNode> version =
        ClockReading.ask(
            clock, () -> json(call("/version")), json -> json.path("at_millis").asLong());
    return new CoordinatorWord(
        coordinator,
        "",
        version.answer().path("version").asText(),
        leader.name(),
        leader.itself(),
        Optional.of(version.reading()));
  }

  /**
   * Who leads.
   *
   * @param name host:port; empty if nobody is known to
   */
  private record Leader(String name, boolean itself) {}

  private Leader leader() {
    try {
      RestAnswer answer = call("/cluster");
      // One that leads and is not settled yet does not say so.
      String name = answer.getStatus() == OK ? json(answer).path("leader").asText() : "";
      return new Leader(name, !name.isEmpty());
    } catch (StatusRuntimeException failure) {
      ErrorDetail said = ErrorTrailer.read(failure).orElseThrow(() -> failure);
      if (ErrorCode.ofNumber(said.getCode()) != ErrorCode.NOT_LEADER) {
        throw failure;
      }
      return new Leader(said.getLeader(), false);
    }
  }

  private RestAnswer call(String path) {
    return ClusterServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .callRest(RestCalls.request("GET", path, "", ""));
  }

  private static JsonNode json(RestAnswer answer) {
    return RestCalls.parse(answer.getBody().toByteArray());
  }
}
