package io.sluice.cli.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A Spark home of one run's own: the jars of another by a link, and what Spark writes beside them,
 * such as executors' logs, in the run's directory. Immutable.
 */
final class SparkInstallation {
  /** Warnings only, and all of them on standard error: standard output carries answers. */
  private static final String LOGGING =
      """
      rootLogger.level = warn
      rootLogger.appenderRef.stderr.ref = stderr
      appender.stderr.type = Console
      appender.stderr.name = stderr
      appender.stderr.target = SYSTEM_ERR
      appender.stderr.layout.type = PatternLayout
      appender.stderr.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1}: %m%n%ex
      """;

  private final SparkHome home;
  private final Path directory;

  private SparkInstallation(SparkHome home, Path directory) {
    this.home = home;
    this.directory = directory;
  }

  /** Lays the home out in a directory that exists. */
  static SparkInstallation in(Path directory, SparkHome home) throws IOException {
    Files.createSymbolicLink(directory.resolve("jars"), home.jars());
    Files.createDirectory(directory.resolve("conf"));
    Files.writeString(directory.resolve("conf/log4j2.properties"), LOGGING);
    Files.createDirectory(directory.resolve("local"));
    return new SparkInstallation(home, directory);
  }

  Path directory() {
    return directory;
  }

  Map<String, String> environment() {
    return Map.of(
        "SPARK_HOME", directory.toString(),
        "SPARK_CONF_DIR", directory.resolve("conf").toString(),
        "SPARK_LOCAL_DIRS", directory.resolve("local").toString(),
        "SPARK_LOCAL_IP", "127.0.0.1",
        "SPARK_SCALA_VERSION", home.scala(),
        "JAVA_HOME", System.getProperty("java.home"));
  }

  /**
   * The command that {@code spark-submit} would run. Spark's own launcher makes it, so that the
   * flags are those of the Spark at hand; no shell stands between us and the driver's process.
   */
  List<String> submitCommand(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(launcher());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(directory.resolve("launcher.log").toFile());
    builder.environment().putAll(environment());
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(
          "Spark's launcher failed: " + Files.readString(directory.resolve("launcher.log")));
    }
    return Arrays.stream(output.split("\0", -1))
        .map(String::strip)
        .filter(w -> !w.isEmpty())
        .toList();
  }

  private List<String> launcher() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-cp",
        home.jars() + "/*",
        "org.apache.spark.launcher.Main",
        "org.apache.spark.deploy.SparkSubmit");
  }
}
