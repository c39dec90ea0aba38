package io.sluice.integration;

import io.sluice.benchmarks.hadoop.HadoopJob;
import io.sluice.benchmarks.hadoop.HadoopProcess;
import io.sluice.cli.local.Installation;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalClusterSettings;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.local.TestedSpark;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobJar;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.JobResult;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.cli.spark.SparkHome;
import io.sluice.cli.spark.SparkSettings;
import io.sluice.cli.spark.UnusableSparkException;
import io.sluice.common.config.DataSize;
import io.sluice.integration.quorum.FreePorts;
import io.sluice.integration.quorum.MixedQuorum;
import io.sluice.integration.quorum.QuorumCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Real processes for one test class: clusters and Spark drivers, in a directory that stays if a
 * test failed. Everything ends when this closes.
 */
final class Runs implements AutoCloseable {
  static final String LOCAL = "local[2,4]";
  private static final Installation INSTALLATION = Installation.ofScripts();
  private static final String HEAP = "1g";

  /** In processes as short-lived as these the second compiler takes more time than it gains. */
  private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  static final Duration DEADLINE = Duration.ofMinutes(4);

  /**
   * Larger than the memory of two servers of 256 MiB, or of one of 384 and a small disk: 476 MB in
   * rows of 136 bytes as Spark shuffles them. The same for all, so that Spark's own shuffle sorts
   * it once.
   */
  static final JobRequest LARGE_SORT = new JobRequest("sort", 3_500_000, 64, 16, false, "", false);

  private final RunDirectory directory;
  private final ProcessGroup group;
  private final SparkHome spark;
  private final Path sparkClient;
  private int drivers;
  private int clusters;

  Runs(String name) throws IOException, UnusableSparkException {
    this(name, TestedSpark.SPARK_35);
  }

  /** The line that most tests run on, and with {@code -Pscale} the newest of Spark 4 as well. */
  static Stream<TestedSpark> lines() {
    return Boolean.getBoolean("sluice.scale")
        ? Stream.of(TestedSpark.SPARK_35, TestedSpark.SPARK_42)
        : Stream.of(TestedSpark.SPARK_35);
  }

  /** With the Spark of a line. */
  Runs(String name, TestedSpark line) throws IOException, UnusableSparkException {
    this(name, INSTALLATION.sparkHome(line, null), INSTALLATION.sparkClient(line));
  }

  /** With a Spark that lies somewhere, and the client's jar for it. */
  Runs(String name, SparkHome spark, Path sparkClient) throws IOException {
    directory = RunDirectory.create("sluice-" + name + "-", false);
    group = ProcessGroup.endedBySignals(directory::discard);
    this.spark = spark;
    this.sparkClient = sparkClient;
  }

  LocalCluster cluster(int servers, String memory)
      throws IOException, ChildFailedException, InterruptedException {
    return cluster(servers, memory, Map.of());
  }

  /** A cluster with further settings of every server. */
  LocalCluster cluster(int servers, String memory, Map<String, String> properties)
      throws IOException, ChildFailedException, InterruptedException {
    return cluster(servers, memory, properties, Map.of());
  }

  /** A cluster whose coordinator has further settings. */
  LocalCluster coordinated(int servers, String memory, Map<String, String> coordinator)
      throws IOException, ChildFailedException, InterruptedException {
    return cluster(servers, memory, Map.of(), coordinator);
  }

  /** A cluster with further settings of every server, and of the coordinator. */
  LocalCluster cluster(
      int servers, String memory, Map<String, String> properties, Map<String, String> coordinator)
      throws IOException, ChildFailedException, InterruptedException {
    return start(
        memory,
        properties,
        Collections.nCopies(servers, Map.of()),
        coordinator,
        INSTALLATION.classPath(),
        List.of());
  }

  /** A cluster of servers that are not alike: each has settings of its own, all have others. */
  LocalCluster cluster(
      String memory, Map<String, String> properties, List<Map<String, String>> servers)
      throws IOException, ChildFailedException, InterruptedException {
    return clusterUnder(List.of(), memory, properties, servers);
  }

  /** The same, of servers that a command starts, such as {@code nice}. */
  LocalCluster clusterUnder(
      List<String> launcher,
      String memory,
      Map<String, String> properties,
      List<Map<String, String>> servers)
      throws IOException, ChildFailedException, InterruptedException {
    return start(memory, properties, servers, Map.of(), INSTALLATION.classPath(), launcher);
  }

  /** At ports that nobody else is given while a process is dead that will listen there again. */
  private LocalCluster start(
      String memory,
      Map<String, String> properties,
      List<Map<String, String>> servers,
      Map<String, String> coordinator,
      String classPath,
      List<String> launcher)
      throws IOException, ChildFailedException, InterruptedException {
    List<Integer> ports = FreePorts.take(2 + servers.size());
    Map<String, String> leader = new HashMap<>();
    leader.put("coordinator.port", ports.get(0).toString());
    leader.put("coordinator.http.port", ports.get(1).toString());
    leader.putAll(coordinator);
    Map<Integer, Map<String, String>> own = new HashMap<>();
    for (int number = 1; number <= servers.size(); number++) {
      Map<String, String> server = new HashMap<>(servers.get(number - 1));
      server.put("server.port", ports.get(number + 1).toString());
      own.put(number, server);
    }
    return LocalCluster.start(
        group,
        new LocalClusterSettings(
            servers.size(), DataSize.parse(memory), properties, own, leader, classPath, launcher),
        Files.createDirectory(directory.path().resolve("cluster-" + ++clusters)));
  }

  /** A cluster whose servers have an HDFS tier in a folder of their own, as well. */
  LocalCluster clusterOn(HdfsCluster hdfs, String memory, Map<String, String> properties)
      throws IOException, ChildFailedException, InterruptedException {
    Map<String, String> all = new HashMap<>(properties);
    all.put("server.hdfs.root", hdfs.uri() + "/sluice-" + (clusters + 1));
    all.put("server.hdfs.replication", "1");
    return start(
        memory, all, List.of(Map.of()), Map.of(), INSTALLATION.classPathWithHdfs(), List.of());
  }

  /** Coordinators and ZooKeepers, three of each, and two servers. */
  QuorumCluster quorum() throws Exception {
    return QuorumCluster.start(
        group, INSTALLATION.classPath(), Files.createDirectory(directory.path().resolve("quorum")));
  }

  /** Two coordinators that may be of different versions, their ZooKeeper, and a server. */
  MixedQuorum mixedQuorum() throws Exception {
    return MixedQuorum.start(
        group, INSTALLATION.classPath(), Files.createDirectory(directory.path().resolve("mixed")));
  }

  /** A real HDFS of one datanode, in a process of its own. */
  HdfsCluster hdfs() throws IOException, ChildFailedException, InterruptedException {
    return HdfsCluster.start(group, INSTALLATION, directory.path().resolve("hdfs"));
  }

  /** A real ZooKeeper in a process of its own; host:port, which may not answer at once. */
  String zooKeeper() throws IOException {
    return LoneZooKeeper.start(group, INSTALLATION, directory.path().resolve("zookeeper"));
  }

  /** Hadoop in a process of its own, which runs MapReduce jobs. */
  HadoopProcess hadoop(HadoopProcess.Framework framework)
      throws IOException, ChildFailedException, InterruptedException {
    return HadoopProcess.start(
        group,
        INSTALLATION,
        framework,
        framework == HadoopProcess.Framework.LOCAL
            ? List.of(INSTALLATION.mapReduceClient())
            : List.of(),
        hadoopDirectory(framework));
  }

  /** What Hadoop's local job runner has logged. */
  String localHadoopLog() throws IOException {
    return Files.readString(hadoopDirectory(HadoopProcess.Framework.LOCAL).resolve("log"));
  }

  private Path hadoopDirectory(HadoopProcess.Framework framework) {
    return directory.path().resolve("hadoop-" + framework);
  }

  /** A job through a cluster of Sluice. */
  HadoopJob through(LocalCluster cluster, HadoopJob job) throws IOException {
    return job.through(cluster.coordinatorAddress(), INSTALLATION.mapReduceClient());
  }

  /** Everything a server of the last cluster, counted from 1, has logged. */
  String serverLog(int number) throws IOException {
    return Files.readString(
        directory.path().resolve("cluster-" + clusters + "/server-" + number + "/log"));
  }

  /**
   * Starts a PySpark program with settings; it announces how many rows it has written.
   *
   * @param name of the folder for its log
   */
  ChildProcess python(PythonSpark python, String name, Path rows, Map<String, String> settings)
      throws IOException {
    Path own = Files.createDirectory(directory.path().resolve(name));
    return python.start(group, rows, settings, own);
  }

  /** URL of a standalone Spark master with workers on two hosts. */
  String standaloneSpark() throws IOException, ChildFailedException, InterruptedException {
    return StandaloneSpark.start(group, spark, directory.path().resolve("standalone"));
  }

  /** Settings of a driver that shuffles through a cluster, with extra properties. */
  SparkSettings through(LocalCluster cluster, String master, Map<String, String> properties)
      throws IOException {
    return with(cluster.spark(master, HEAP, sparkClient), properties);
  }

  /** Settings of a driver that shuffles through a quorum's servers, with extra properties. */
  SparkSettings through(QuorumCluster cluster, String master, Map<String, String> properties)
      throws IOException {
    SparkSettings settings =
        new SparkSettings(
            master,
            HEAP,
            Map.of(
                "spark.shuffle.manager",
                "org.apache.spark.shuffle.sluice.SluiceShuffleManager",
                "spark.sluice.coordinator.quorum",
                cluster.addresses()),
            List.of(sparkClient));
    return with(settings, properties);
  }

  SparkSettings own(String master) {
    return with(SparkSettings.sparkOwn(master, HEAP), Map.of());
  }

  private static SparkSettings with(SparkSettings settings, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(settings.properties());
    all.put("spark.driver.extraJavaOptions", SHORT_LIVED);
    all.put("spark.executor.extraJavaOptions", SHORT_LIVED);
    all.putAll(more);
    return new SparkSettings(settings.master(), settings.heap(), all, settings.clientJars());
  }

  /** One job in a driver of its own. */
  JobResult faultJob(SparkSettings settings, JobRequest request)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    try (SparkDriver driver = faultDriver(settings)) {
      return driver.run(request, DEADLINE);
    }
  }

  /** A driver for several jobs. */
  SparkDriver faultDriver(SparkSettings settings)
      throws IOException, ChildFailedException, InterruptedException {
    return driver(settings, faultJobs());
  }

  /** A driver for several benchmark jobs. */
  SparkDriver benchmarkDriver(SparkSettings settings)
      throws IOException, ChildFailedException, InterruptedException {
    return driver(settings, INSTALLATION.jobs());
  }

  /**
   * A driver for several benchmark jobs that has the client from {@code spark.jars} alone, as its
   * executors have. Listeners of fault jobs are there too.
   */
  SparkDriver fetchingDriver(SparkSettings settings)
      throws IOException, ChildFailedException, InterruptedException {
    SparkSettings bare =
        new SparkSettings(settings.master(), settings.heap(), settings.properties(), List.of());
    JobJar benchmarks = INSTALLATION.jobs();
    List<Path> fetched = new ArrayList<>(benchmarks.libraries());
    fetched.add(sparkClient);
    fetched.add(faultJobs().jar());
    return driver(bare, new JobJar(benchmarks.mainClass(), benchmarks.jar(), fetched));
  }

  private SparkDriver driver(SparkSettings settings, JobJar jobs)
      throws IOException, ChildFailedException, InterruptedException {
    return SparkDriver.start(group, spark, settings, jobs, driverDirectory(++drivers));
  }

  private JobJar faultJobs() throws IOException {
    JobJar benchmarks = INSTALLATION.jobs();
    List<Path> libraries = new ArrayList<>(benchmarks.libraries());
    libraries.add(benchmarks.jar());
    return new JobJar(
        "io.sluice.integration.job.FaultJob",
        Path.of(System.getProperty("sluice.jobs")),
        libraries);
  }

  /** Everything the last driver and its executors logged. */
  String lastLog() throws IOException {
    return log(drivers);
  }

  /** Everything a driver, counted from 1, and its executors logged. */
  String log(int number) throws IOException {
    try (Stream<Path> files = Files.walk(driverDirectory(number))) {
      List<Path> logs =
          files
              .filter(file -> file.toString().endsWith(".log") || file.endsWith("stderr"))
              .collect(Collectors.toList());
      StringBuilder text = new StringBuilder();
      for (Path log : logs) {
        text.append(Files.readString(log));
      }
      return text.toString();
    }
  }

  Path path() {
    return directory.path();
  }

  private Path driverDirectory(int number) {
    return directory.path().resolve("spark-" + number);
  }

  /** Keeps all logs and data, for someone to look at. */
  void keep() {
    directory.keep();
  }

  @Override
  public void close() {
    group.close();
  }
}
