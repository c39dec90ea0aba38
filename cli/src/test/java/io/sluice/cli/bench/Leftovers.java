package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.InProcessCluster;
import io.sluice.cli.Sluices;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What is there after a run. */
final class Leftovers {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Leftovers() {}

  /** No application at once, and soon no partition on any server. */
  static void assertNone(InProcessCluster cluster, String... options) {
    assertThat(ask(cluster, List.of("app", "list", "-o", "json"), options)).isEqualTo("[ ]\n");
    until(cluster, "(?s)(?!.*partitions: [1-9]).*partitions: 0.*", options);
  }

  /** Waits until the servers, as YAML, are like a pattern. */
  static void until(InProcessCluster cluster, String pattern, String... options) {
    long deadline = Clock.system().nanoTime() + PATIENCE.toNanos();
    String servers = "";
    while (!servers.matches(pattern)) {
      assertThat(Clock.system().nanoTime()).as(servers).isLessThan(deadline);
      servers = ask(cluster, List.of("server", "list", "-o", "yaml"), options);
    }
  }

  private static String ask(InProcessCluster cluster, List<String> command, String... options) {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of("--coordinator", cluster.coordinator().toString()));
    all.addAll(List.of(options));
    Sluices.Outcome outcome = Sluices.run(all.toArray(String[]::new));
    assertThat(outcome).matches(Sluices.Outcome::isOk);
    return outcome.out();
  }
}
