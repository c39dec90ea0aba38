package io.sluice.cli.local;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A line of Spark that commands can run, with its own suites and queries too. The jobs are the same
 * class files for all; what suites and queries need inside Spark comes from the same sources,
 * compiled for each.
 */
public enum TestedSpark {
  SPARK_35("3.5", "2.12", "spark", "client-spark/spark-3.5", "sluice-client-spark-3.5_2.12-"),
  SPARK_42("4.2", "2.13", "spark-4.2", "client-spark/scala-2.13", "sluice-client-spark_2.13-");

  private final String line;
  private final String scala;
  private final String modules;
  private final String clientModule;
  private final String clientJar;

  TestedSpark(String line, String scala, String modules, String clientModule, String clientJar) {
    this.line = line;
    this.scala = scala;
    this.modules = modules;
    this.clientModule = clientModule;
    this.clientJar = clientJar;
  }

  /** The one of that line, such as 3.5; none if there is none. */
  public static Optional<TestedSpark> of(String line) {
    return Arrays.stream(values()).filter(spark -> spark.line.equals(line)).findFirst();
  }

  /** What {@link #of} takes. */
  public static List<String> lines() {
    return Arrays.stream(values()).map(TestedSpark::line).toList();
  }

  /** Major and minor version. */
  public String line() {
    return line;
  }

  /** Such as 2.12. */
  public String scala() {
    return scala;
  }

  /** The module that gets this Spark from Maven, below that of the benchmarks. */
  String home() {
    return modules + "-home";
  }

  /** The module of what suites and queries need inside Spark, below that of the benchmarks. */
  String suites() {
    return modules + "-suites";
  }

  /** The module of the client. */
  String clientModule() {
    return clientModule;
  }

  /** How the name of the client's jar begins. */
  String clientJar() {
    return clientJar;
  }

  /** The line, as on the command line. */
  @Override
  public String toString() {
    return line;
  }
}
