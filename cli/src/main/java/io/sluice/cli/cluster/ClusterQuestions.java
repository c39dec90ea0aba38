package io.sluice.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;

/** What other commands ask a cluster. */
public final class ClusterQuestions {
  private final RestCalls calls;

  private ClusterQuestions(RestCalls calls) {
    this.calls = calls;
  }

  public static ClusterQuestions by(ClusterOptions options) {
    return new ClusterQuestions(options.calls());
  }

  /**
   * @throws io.sluice.cli.CommandFailedException if nobody answers, as all calls here do
   */
  public JsonNode cluster() {
    return calls.get("/cluster");
  }

  /** All servers. */
  public JsonNode servers() {
    return calls.servers();
  }
}
