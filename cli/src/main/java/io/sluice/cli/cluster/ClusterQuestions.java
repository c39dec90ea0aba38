package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.time.Clock;
import java.util.List;

/** What other commands ask a cluster. */
public final class ClusterQuestions {
  private final RestCalls calls;
  private final CoordinatorChannels channels;
  private final List<String> named;

  private ClusterQuestions(RestCalls calls, CoordinatorChannels channels, List<String> named) {
    this.calls = calls;
    this.channels = channels;
    this.named = List.copyOf(named);
  }

  public static ClusterQuestions by(ClusterOptions options) {
    return new ClusterQuestions(options.calls(), options.channels(), options.named());
  }

  /**
   * @throws io.sluice.cli.CommandFailedException if nobody answers, as all calls here do
   */
  public JsonNode cluster() {
    return calls.get("/cluster");
  }

  /** What each coordinator says that was named, in that order. Waits for none to be elected. */
  public List<CoordinatorWord> coordinators(Clock clock) {
    return named.stream().map(one -> CoordinatorProbe.ask(channels, one, clock)).toList();
  }

  /** All servers. */
  public JsonNode servers() {
    return calls.servers();
  }
}
