package io.sluice.integration;

import io.sluice.cli.process.ChildFailedException;
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

/**
 * A standalone Spark cluster whose workers are different hosts to Spark, as 127.0.0.1 and 127.0.0.2
 * are: it puts a speculative copy on another host only, and all workers of {@code local-cluster}
 * are one.
 */
final class StandaloneSpark {
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final String MASTER_AT = "Starting Spark master at ";
  private static final String REGISTERED = "Successfully registered with master";
  private static final String LOGGING =
      """
      rootLogger.level = info
      rootLogger.appenderRef.stdout.ref = stdout
      appender.stdout.type = Console
      appender.stdout.name = stdout
      appender.stdout.layout.type = PatternLayout
      appender.stdout.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1}: %m%n%ex
      """;

  private final ProcessGroup group;
  private final SparkHome home;
  private final Path directory;

  private StandaloneSpark(ProcessGroup group, SparkHome home, Path directory) {
    this.group = group;
    this.home = home;
    this.directory = directory;
  }

  /** Starts a master and workers of two cores on two hosts; gives the master's URL. */
  static String start(ProcessGroup group, SparkHome home, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    Files.createDirectories(directory.resolve("conf"));
    Files.createSymbolicLink(directory.resolve("jars"), home.jars());
    Files.writeString(directory.resolve("conf/log4j2.properties"), LOGGING);
    StandaloneSpark spark = new StandaloneSpark(group, home, directory);
    ChildProcess master =
        spark.daemon(
            "master", "127.0.0.1", MASTER_AT, "org.apache.spark.deploy.master.Master", List.of());
    String announced = master.awaitAnnouncement(DEADLINE);
    String url = announced.substring(announced.indexOf(MASTER_AT) + MASTER_AT.length()).trim();
    List<ChildProcess> workers = new ArrayList<>();
    for (String host : List.of("127.0.0.1", "127.0.0.2")) {
      List<String> arguments = List.of("--cores", "2", "--memory", "2g", url);
      workers.add(
          spark.daemon(
              "worker-" + host,
              host,
              REGISTERED,
              "org.apache.spark.deploy.worker.Worker",
              arguments));
    }
    for (ChildProcess worker : workers) {
      worker.awaitAnnouncement(DEADLINE);
    }
    return url;
  }

  private ChildProcess daemon(
      String name, String host, String announcement, String mainClass, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-Xmx512m", "-cp", directory.resolve("conf") + ":" + home.jars() + "/*"));
    command.addAll(List.of(mainClass, "--host", host, "--port", "0", "--webui-port", "0"));
    command.addAll(arguments);
    Path own = Files.createDirectories(directory.resolve(name));
    Map<String, String> environment =
        Map.of(
            "SPARK_HOME", directory.toString(),
            "SPARK_CONF_DIR", directory.resolve("conf").toString(),
            "SPARK_LOCAL_DIRS", own.toString(),
            "SPARK_WORKER_DIR", own.toString(),
            "SPARK_LOCAL_IP", host,
            "SPARK_SCALA_VERSION", home.scala(),
            "JAVA_HOME", System.getProperty("java.home"));
    return group.start(
        new ChildSpec(
            name,
            command,
            environment,
            own,
            own.resolve("log"),
            line -> line.contains(announcement)));
  }
}
