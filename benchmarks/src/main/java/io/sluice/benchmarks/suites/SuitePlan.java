package io.sluice.benchmarks.suites;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.cli.local.TestedSpark;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which suites are run, and which of their tests are expected to fail. Immutable.
 *
 * @param suites in the order in which they are run
 */
record SuitePlan(List<Planned> suites) {
  private static final String SUITE = "suite ";
  private static final String FAILS = "fails ";
  private static final String EITHER = "either ";
  private static final String SAYING = "saying ";
  private static final String BECAUSE = "because ";
  private static final String LOCAL = "local because ";
  private static final String PERHAPS_LOCAL = "perhaps local because ";

  SuitePlan {
    suites = List.copyOf(suites);
  }

  /**
   * A suite.
   *
   * @param name of its class
   * @param failures name of each test that is expected to fail, and how
   * @param either name of each test that may fail or pass, and how it fails if it does
   * @param local why nothing of it is shuffled through Sluice; null if something always is
   */
  record Planned(
      String name,
      Map<String, Failure> failures,
      Map<String, Failure> either,
      @Nullable Local local) {
    Planned {
      failures = Map.copyOf(failures);
      either = Map.copyOf(either);
    }

    /** Whether that test may fail. */
    boolean mayFail(String test) {
      return failures.containsKey(test) || either.containsKey(test);
    }

    /** A suite of which nothing is known. */
    static Planned unknown(String name) {
      return new Planned(name, Map.of(), Map.of(), null);
    }
  }

  /**
   * How a test fails.
   *
   * @param saying part of what it says then, so that another failure is told apart
   */
  record Failure(String reason, String saying) {}

  /**
   * Why nothing of a suite is shuffled through Sluice.
   *
   * @param always false where it depends on who is quicker
   */
  record Local(String reason, boolean always) {}

  /** That of a line of Spark, kept beside this class. */
  static SuitePlan of(TestedSpark spark) throws IOException {
    String resource = "spark-" + spark.line() + ".txt";
    try (InputStream in =
        Objects.requireNonNull(SuitePlan.class.getResourceAsStream(resource), resource)) {
      return parse(new String(in.readAllBytes(), UTF_8));
    }
  }

  /**
   * Reads a plan. Lines are {@code suite CLASS}, {@code fails TEST}, {@code either TEST} for one
   * that may fail or pass; {@code saying TEXT}, a part of what all tests named since the last
   * reason say when they fail, and {@code because REASON}, the reason for them; {@code local
   * because REASON} for a suite that shuffles nothing through Sluice, and {@code perhaps local
   * because REASON} for one that may; empty ones, and comments that begin with {@code #}.
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
      } else if (section == null || !section.take(content, number)) {
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
    if (!section.unexplained().isEmpty()) {
      throw wrong(line, "nothing says why " + section.unexplained() + " fail");
    }
    if (suites.stream().anyMatch(suite -> suite.name().equals(section.name))) {
      throw wrong(line, section.name + " is there twice");
    }
    suites.add(new Planned(section.name, section.failures, section.either, section.local));
  }

  private static IllegalArgumentException wrong(int line, String what) {
    return new IllegalArgumentException("line " + line + " of the plan: " + what);
  }

  /** A suite while it is read. */
  private static final class Section {
    private final String name;
    private final Map<String, Failure> failures = new LinkedHashMap<>();
    private final Map<String, Failure> either = new LinkedHashMap<>();
    private final List<String> failing = new ArrayList<>();
    private final List<String> wavering = new ArrayList<>();
    private String saying = "";
    private @Nullable Local local;

    Section(String name) {
      this.name = name;
    }

    boolean take(String line, int number) {
      if (line.startsWith(FAILS)) {
        failing.add(line.substring(FAILS.length()));
        return true;
      }
      if (line.startsWith(EITHER)) {
        wavering.add(line.substring(EITHER.length()));
        return true;
      }
      if (line.startsWith(LOCAL)) {
        local = new Local(line.substring(LOCAL.length()), true);
        return true;
      }
      if (line.startsWith(PERHAPS_LOCAL)) {
        local = new Local(line.substring(PERHAPS_LOCAL.length()), false);
        return true;
      }
      boolean named = !unexplained().isEmpty();
      if (line.startsWith(SAYING) && saying.isEmpty() && named) {
        saying = line.substring(SAYING.length());
        return true;
      }
      if (line.startsWith(BECAUSE) && named) {
        explain(line.substring(BECAUSE.length()), number);
        return true;
      }
      return false;
    }

    /** Tests named since the last reason. */
    List<String> unexplained() {
      return Stream.concat(failing.stream(), wavering.stream()).toList();
    }

    private void explain(String reason, int number) {
      if (saying.isEmpty()) {
        throw wrong(number, "nothing says what " + unexplained() + " say when they fail");
      }
      Failure failure = new Failure(reason, saying);
      failing.forEach(test -> failures.put(test, failure));
      wavering.forEach(test -> either.put(test, failure));
      failing.clear();
      wavering.clear();
      saying = "";
    }
  }
}
