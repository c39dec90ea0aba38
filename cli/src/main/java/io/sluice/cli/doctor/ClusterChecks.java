package io.sluice.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.cluster.ClusterQuestions;
import io.sluice.common.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** What a running cluster says of itself. */
final class ClusterChecks {
  /** Certificates and tokens count in minutes; more than that and logs of two machines mislead. */
  private static final long CLOCK_MILLIS = 2_000;

  private static final int TIMES = 3;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private ClusterChecks() {}

  static List<Finding> all(ClusterQuestions questions, Clock clock) {
    List<Finding> findings = new ArrayList<>();
    try {
      Asked asked = ask(questions, clock);
      JsonNode cluster = asked.cluster();
      findings.add(
          Finding.ok(
              "coordinator",
              cluster.path("leader").asText() + " leads term " + cluster.path("term").asText()));
      findings.add(clock(asked.aheadMillis(), asked.eitherWayMillis()));
      findings.addAll(servers(questions.servers()));
    } catch (CommandFailedException e) {
      findings.add(Finding.fail("coordinator", String.valueOf(e.getMessage())));
    }
    return findings;
  }

  /**
   * An answer, and what its time says of the leader's clock: it was there somewhere between the
   * question and the answer.
   *
   * @param eitherWayMillis half of the time that the answer took
   */
  private record Asked(JsonNode cluster, long aheadMillis, long eitherWayMillis) {}

  /** Asks some times and takes the quickest answer: a connection that begins is not a clock. */
  private static Asked ask(ClusterQuestions questions, Clock clock) {
    Asked best = askOnce(questions, clock);
    for (int i = 1; i < TIMES; i++) {
      Asked next = askOnce(questions, clock);
      best = next.eitherWayMillis() <= best.eitherWayMillis() ? next : best;
    }
    return best;
  }

  private static Asked askOnce(ClusterQuestions questions, Clock clock) {
    long start = clock.nanoTime();
    JsonNode cluster = questions.cluster();
    // Rounded up: it is a bound.
    long half = (clock.nanoTime() - start) / (2 * NANOS_PER_MILLI) + 1;
    long between = clock.wallTimeMillis() - half;
    return new Asked(cluster, cluster.path("at_millis").asLong() - between, half);
  }

  static Finding clock(long ahead, long eitherWay) {
    String text =
        "the leader's is "
            + Math.abs(ahead)
            + " ms "
            + (ahead < 0 ? "behind" : "ahead")
            + ", ± "
            + eitherWay
            + " ms";
    // Only what it is off at least is held against it.
    return Math.abs(ahead) - eitherWay <= CLOCK_MILLIS
        ? Finding.ok("clock", text)
        : Finding.warn("clock", text + ", of this machine's: does NTP run on both?");
  }

  static List<Finding> servers(JsonNode servers) {
    List<Finding> findings = new ArrayList<>();
    TreeMap<String, Integer> versions = new TreeMap<>();
    for (JsonNode server : servers) {
      String name =
          server.path("address").path("host").asText()
              + ":"
              + server.path("address").path("port").asText();
      String state = server.path("state").asText();
      if (!state.equals("LOST")) {
        versions.merge(server.path("version").asText(), 1, Integer::sum);
      }
      if (state.equals("SUSPECT") || state.equals("LOST")) {
        findings.add(Finding.warn("server " + name, "is " + state));
      }
      for (JsonNode disk : server.path("load").path("disks")) {
        if (!disk.path("healthy").asBoolean()) {
          findings.add(
              Finding.fail(
                  "server " + name, "disk " + disk.path("path").asText() + " is not healthy"));
        }
      }
    }
    if (versions.isEmpty()) {
      findings.add(Finding.fail("servers", "there is none: jobs have nowhere to write"));
    } else if (versions.size() > 1) {
      findings.add(Finding.warn("versions", "servers run several: " + versions));
    } else {
      findings.add(Finding.ok("versions", "all servers run " + versions.firstKey()));
    }
    return findings;
  }
}
