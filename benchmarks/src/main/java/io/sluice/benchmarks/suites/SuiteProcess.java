package io.sluice.benchmarks.suites;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.spark.SparkHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Runs one suite in a process of its own, with ScalaTest's runner.
 *
 * @param spark with its tests; executors of local clusters start from there as well
 * @param libraries on the class path of the process and of executors, beside Spark's
 * @param properties Spark's configuration, given as system properties: what a suite sets wins
 * @param directory of this suite; exists and is empty
 */
record SuiteProcess(
    ProcessGroup group,
    SparkHome spark,
    List<Path> libraries,
    Map<String, String> properties,
    Path directory) {
  private static final String HEAP = "-Xmx3g";

  /** As Spark's launcher and Spark's own build give them. */
  private static final List<String> FLAGS =
      List.of(
          "-ea",
          HEAP,
          "-Xss4m",
          "-XX:+IgnoreUnrecognizedVMOptions",
          "-Djdk.reflect.useDirectMethodHandle=false",
          "-Dio.netty.tryReflectionSetAccessible=true",
          "-Dsun.io.serialization.extendedDebugInfo=false",
          "-Dspark.testing=1",
          "-Dspark.ui.enabled=false",
          "-Dspark.ui.showConsoleProgress=false",
          "-Dspark.unsafe.exceptionOnMemoryLeak=true",
          "-Dspark.memory.debugFill=true");

  private static final List<String> OPENED =
      List.of(
          "java.base/java.lang",
          "java.base/java.lang.invoke",
          "java.base/java.lang.reflect",
          "java.base/java.io",
          "java.base/java.net",
          "java.base/java.nio",
          "java.base/java.util",
          "java.base/java.util.concurrent",
          "java.base/java.util.concurrent.atomic",
          "java.base/jdk.internal.ref",
          "java.base/sun.nio.ch",
          "java.base/sun.nio.cs",
          "java.base/sun.security.action",
          "java.base/sun.util.calendar",
          "java.security.jgss/sun.security.krb5");

  /** What came of the process: tests, and why it did not end well, if so. */
  record Ended(List<TestResult> tests, String aborted) {}

  /** Runs the suite to its end; ends it after the deadline. */
  Ended run(String suite, Duration deadline) throws IOException, InterruptedException {
    Path reports = Files.createDirectory(directory.resolve("reports"));
    Files.createDirectory(directory.resolve("tmp"));
    Path log = directory.resolve("log");
    ChildProcess process =
        group.start(
            new ChildSpec(
                suite, command(suite, reports), environment(), directory, log, line -> false));
    OptionalInt exit;
    try {
      exit = process.awaitEnd(deadline);
    } finally {
      group.end(process);
    }
    List<TestResult> tests = results(reports);
    if (exit.isEmpty()) {
      return new Ended(tests, "still running after " + deadline.toSeconds() + " s; see " + log);
    }
    // ScalaTest exits with 1 if a test failed, and if a suite could not run.
    boolean told = exit.getAsInt() == 0 || tests.stream().anyMatch(TestResult::failed);
    if (tests.isEmpty() || !told) {
      return new Ended(tests, "ended with exit code " + exit.getAsInt() + "; see " + log);
    }
    if (saysAborted(log)) {
      return new Ended(tests, "says that something was aborted; see " + log);
    }
    return new Ended(tests, "");
  }

  /** Whether a suite gave up between tests: the report has what ran by then, and nothing of it. */
  static boolean saysAborted(Path log) throws IOException {
    // As ScalaTest says it of suites and of whole runs, whatever encoding tests print in.
    try (Stream<String> lines = Files.lines(log, ISO_8859_1)) {
      return lines.anyMatch(line -> line.contains("ABORTED ***"));
    }
  }

  private List<String> command(String suite, Path reports) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    OPENED.forEach(opened -> command.add("--add-opens=" + opened + "=ALL-UNNAMED"));
    command.add("-Djava.io.tmpdir=" + directory.resolve("tmp"));
    command.add("-Dspark.test.home=" + home());
    properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
    command.addAll(List.of("-cp", libraryPath() + ":" + spark.jars() + "/*"));
    command.addAll(List.of("org.scalatest.tools.Runner", "-s", suite));
    command.addAll(List.of("-u", reports.toString(), "-oNCXEHLOPQRM"));
    return command;
  }

  private Map<String, String> environment() {
    return Map.of(
        "SPARK_HOME",
        home(),
        "SPARK_TESTING",
        "1",
        "SPARK_LOCAL_IP",
        "127.0.0.1",
        "SPARK_SCALA_VERSION",
        spark.scala(),
        "SPARK_DIST_CLASSPATH",
        libraryPath(),
        "JAVA_HOME",
        System.getProperty("java.home"));
  }

  private String home() {
    return spark.jars().resolve("..").normalize().toString();
  }

  private String libraryPath() {
    return String.join(":", libraries.stream().map(Path::toString).toList());
  }

  private static List<TestResult> results(Path reports) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(reports)) {
      files = all.filter(file -> file.toString().endsWith(".xml")).sorted().toList();
    }
    List<TestResult> results = new ArrayList<>();
    for (Path file : files) {
      results.addAll(SuiteXml.read(file));
    }
    return results;
  }
}
