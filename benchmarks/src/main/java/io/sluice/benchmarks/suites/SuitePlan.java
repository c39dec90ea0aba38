package io.sluice.benchmarks.suites;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which suites are run, and which of their tests are expected to fail. Immutable.
 *
 * @param suites in the order in which they are run
 */
record SuitePlan(List<Planned> suites) {
  private static final String SUITE = "suite ";
  private static final String FAILS = "fails ";
  private static final String BECAUSE = "because ";
  private static final String LOCAL = "local because ";

  SuitePlan {
    suites = List.copyOf(suites);
  }

  /**
   * A suite.
   *
   * @param name of its class
   * @param failures name of each test that is expected to fail, and why
   * @param local why nothing of it is shuffled through Sluice; empty if something is
   */
  record Planned(String name, Map<String, String> failures, String local) {
    Planned {
      failures = Map.copyOf(failures);
    }

    /** A suite of which nothing is known. */
    static Planned unknown(String name) {
      return new Planned(name, Map.of(), "");
    }
  }

  /** That of Spark 3.5, kept beside this class. */
  static SuitePlan spark35() throws IOException {
    String resource = "spark-3.5.txt";
    try (InputStream in =
        Objects.requireNonNull(SuitePlan.class.getResourceAsStream(resource), resource)) {
      return parse(new String(in.readAllBytes(), UTF_8));
    }
  }

  /**
   * Reads a plan. Lines are {@code suite CLASS}, {@code fails TEST} and {@code because REASON}, the
   * reason for all tests named since the last one; {@code local because REASON} for a suite; empty
   * ones, and comments that begin with {@code #}.
   *
   * @throws IllegalArgumentException naming the line that is wrong
   */
  static SuitePlan parse(String text) {
    List<Planned> suites = new ArrayList<>();
    Section section = null;
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String content = line.strip();
      if (content.isEmpty() || content.startsWith("#")) {
        continue;
      }
      if (content.startsWith(SUITE)) {
        finish(section, suites, number);
        section = new Section(content.substring(SUITE.length()).strip());
      } else if (section == null || !section.take(content)) {
        throw wrong(number, "unexpected: " + content);
      }
    }
    finish(section, suites, number);
    return new SuitePlan(suites);
  }

  private static void finish(@Nullable Section section, List<Planned> suites, int line) {
    if (section == null) {
      return;
    }
    if (!section.unexplained.isEmpty()) {
      throw wrong(line, "nothing says why " + section.unexplained + " fail");
    }
    if (suites.stream().anyMatch(suite -> suite.name().equals(section.name))) {
      throw wrong(line, section.name + " is there twice");
    }
    suites.add(new Planned(section.name, section.failures, section.local));
  }

  private static IllegalArgumentException wrong(int line, String what) {
    return new IllegalArgumentException("line " + line + " of the plan: " + what);
  }

  /** A suite while it is read. */
  private static final class Section {
    private final String name;
    private final Map<String, String> failures = new LinkedHashMap<>();
    private final List<String> unexplained = new ArrayList<>();
    private String local = "";

    Section(String name) {
      this.name = name;
    }

    boolean take(String line) {
      if (line.startsWith(FAILS)) {
        unexplained.add(line.substring(FAILS.length()));
        return true;
      }
      if (line.startsWith(LOCAL)) {
        local = line.substring(LOCAL.length());
        return true;
      }
      if (line.startsWith(BECAUSE) && !unexplained.isEmpty()) {
        unexplained.forEach(test -> failures.put(test, line.substring(BECAUSE.length())));
        unexplained.clear();
        return true;
      }
      return false;
    }
  }
}
