package io.sluice.cli.doctor;

import io.sluice.cli.cluster.CoordinatorWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What is to be said of each coordinator that was named, and of what they say of each other. */
final class CoordinatorLines {
  private CoordinatorLines() {}

  static List<Finding> of(List<CoordinatorWord> words) {
    List<Finding> findings = new ArrayList<>();
    words.forEach(word -> findings.add(line(word)));
    // The leader's clock has a line of its own.
    words.stream()
        .filter(word -> !word.leads())
        .forEach(
            word ->
                word.clock()
                    .map(clock -> ClusterChecks.clock(word.address() + "'s", clock))
                    .ifPresent(findings::add));
    Map<String, List<String>> byLeader =
        words.stream()
            .filter(word -> !word.leader().isEmpty())
            .collect(
                Collectors.groupingBy(
                    CoordinatorWord::leader,
                    TreeMap::new,
                    Collectors.mapping(CoordinatorWord::address, Collectors.toList())));
    if (byLeader.size() > 1) {
      findings.add(Finding.fail("leader", different(byLeader)));
    }
    return findings;
  }

  private static Finding line(CoordinatorWord word) {
    String check = "coordinator " + word.address();
    if (!word.trouble().isEmpty()) {
      return Finding.fail(check, "does not answer: " + word.trouble());
    }
    String version = word.version().isEmpty() ? "an earlier version" : word.version();
    if (word.leader().isEmpty()) {
      return Finding.fail(
          check,
          version
              + ", answers and knows no leader: does it reach the ZooKeeper in its"
              + " coordinator.zookeeper.connect? Its log says");
    }
    return Finding.ok(
        check, version + (word.leads() ? ", leads" : ", says that " + word.leader() + " leads"));
  }

  private static String different(Map<String, List<String>> byLeader) {
    return byLeader.entrySet().stream()
            .map(entry -> String.join(" and ", entry.getValue()) + " say " + entry.getKey())
            .collect(Collectors.joining(", "))
        + ": these are several clusters, unless the leader changed just now. Compare"
        + " coordinator.zookeeper.connect and coordinator.zookeeper.root, which have to be the same"
        + " on all";
  }
}
