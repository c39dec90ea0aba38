package io.sluice.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.cluster.ClockReading;
import io.sluice.cli.cluster.ClusterQuestions;
import io.sluice.common.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** What a running cluster says of itself. */
final class ClusterChecks {
  /** Certificates and tokens count in minutes; more than that and logs of two machines mislead. */
  private static final long CLOCK_MILLIS = 2_000;

  private ClusterChecks() {}

  static List<Finding> all(ClusterQuestions questions, Clock clock) {
    List<Finding> findings = new ArrayList<>();
    try {
      ClockReading.Timed<JsonNode> asked =
          ClockReading.ask(clock, questions::cluster, json -> json.path("at_millis").asLong());
      JsonNode cluster = asked.answer();
      findings.add(
          Finding.ok(
              "coordinator",
              cluster.path("leader").asText() + " leads term " + cluster.path("term").asText()));
      findings.add(clock("the leader's", asked.reading()));
    } catch (CommandFailedException e) {
      findings.add(Finding.fail("coordinator", String.valueOf(e.getMessage())));
      findings.addAll(CoordinatorLines.of(questions.coordinators(clock)));
      findings.add(clocksOfServers());
      return findings;
    }
    findings.addAll(CoordinatorLines.of(questions.coordinators(clock)));
    try {
      findings.addAll(servers(questions.servers()));
    } catch (CommandFailedException e) {
      findings.add(Finding.fail("servers", String.valueOf(e.getMessage())));
    }
    findings.add(clocksOfServers());
    return findings;
  }

  private static Finding clocksOfServers() {
    return Finding.skip(
        "clocks of servers", "coordinators do not know them: does NTP run on all of them?");
  }

  /**
   * @param whose such as "the leader's"
   */
  static Finding clock(String whose, ClockReading reading) {
    long ahead = reading.aheadMillis();
    String text =
        whose
            + " is "
            + Math.abs(ahead)
            + " ms "
            + (ahead < 0 ? "behind" : "ahead")
            + ", ± "
            + reading.eitherWayMillis()
            + " ms";
    // Only what it is off at least is held against it.
    return Math.abs(ahead) - reading.eitherWayMillis() <= CLOCK_MILLIS
        ? Finding.ok("clock", text)
        : Finding.warn("clock", text + ", of this machine's: does NTP run on both?");
  }

  static List<Finding> servers(JsonNode servers) {
    List<Finding> findings = new ArrayList<>();
    TreeMap<String, Integer> versions = new TreeMap<>();
    int living = 0;
    for (JsonNode server : servers) {
      String name =
          server.path("address").path("host").asText()
              + ":"
              + server.path("address").path("port").asText();
      String state = server.path("state").asText();
      boolean lives = !state.equals("LOST");
      living += lives ? 1 : 0;
      // A leader that has not heard a server yet does not know what runs there.
      if (lives && !server.path("version").asText().isEmpty()) {
        versions.merge(server.path("version").asText(), 1, Integer::sum);
      }
      if (state.equals("SUSPECT") || state.equals("UNHEALTHY") || state.equals("LOST")) {
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
    if (living == 0) {
      findings.add(Finding.fail("servers", "there is none: jobs have nowhere to write"));
    }
    if (versions.size() > 1) {
      findings.add(Finding.warn("versions", "servers run several: " + versions));
    } else if (!versions.isEmpty()) {
      findings.add(Finding.ok("versions", "all servers run " + versions.firstKey()));
    }
    return findings;
  }
}
