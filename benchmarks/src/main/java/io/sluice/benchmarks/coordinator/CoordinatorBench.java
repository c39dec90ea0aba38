package io.sluice.benchmarks.coordinator;

import io.sluice.benchmarks.Arguments;
import io.sluice.benchmarks.child.MeasuredChild;
import io.sluice.benchmarks.child.MeasuredChild.Program;
import io.sluice.benchmarks.coordinator.child.CoordinatorProcess;
import io.sluice.benchmarks.coordinator.child.CrowdProcess;
import io.sluice.cli.ExitCode;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.OutputOptions;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.service.ServerJvm;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.Place;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.placement.Candidate;
import io.sluice.coordinator.placement.Leaning;
import io.sluice.coordinator.placement.PlacementRequest;
import io.sluice.coordinator.placement.PlacementStrategy;
import io.sluice.coordinator.registry.ServerAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a leader can do. */
@Command(
    name = "coordinator",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Measures a coordinator: placing a large shuffle; heartbeats of a large cluster, each server"
          + " and application with a connection of its own; how evenly a cluster of uneven servers"
          + " and partitions is filled, beside dealing partitions out in turn."
    })
public final class CoordinatorBench implements Callable<Integer> {
  private static final double RARE = 0.99;
  private static final int CROWD_HEAP_MIB = 5_000;
  private static final Duration DEADLINE = Duration.ofSeconds(250);

  @Option(names = "--servers", description = "that report every 2 s", paramLabel = "N")
  private int servers = 5_000;

  @Option(names = "--applications", description = "that say so every 10 s", paramLabel = "N")
  private int applications = 10_000;

  @Option(names = "--seconds", description = "to measure heartbeats for", paramLabel = "N")
  private int seconds = 40;

  @Option(
      names = "--settle",
      description = "seconds after the last registration before heartbeats are measured",
      paramLabel = "N")
  private int settle = 60;

  @Option(names = "--heap", description = "of the coordinator, in MiB", paramLabel = "N")
  private int heap = 1_000;

  @Option(names = "--placements", description = "to measure", paramLabel = "N")
  private int placements = 1_000;

  @Option(
      names = "--watching",
      description = "applications that watch servers, once heartbeats are measured; 0: none do",
      paramLabel = "N")
  private int watching = 10_000;

  @Option(
      names = "--partitions",
      description = "of the shuffle that each application places which watches",
      paramLabel = "N")
  private int partitions = 50;

  @Option(
      names = "--watch-seconds",
      description = "over which each case of watches is measured, once all were answered",
      paramLabel = "N")
  private int watchSeconds = 10;

  @Option(names = "--changing", description = "servers that restart at once", paramLabel = "N")
  private int changing = 200;

  @Option(
      names = "--only-watches",
      description = "measures nothing but what it costs to tell drivers of servers")
  private boolean onlyWatches;

  @Mixin private final OutputOptions output = new OutputOptions();

  private final TextTable news =
      new TextTable(
          "case",
          "messages",
          "events",
          "MB",
          "last after s",
          "cpu s",
          "cores",
          "heap MB",
          "p99 beat ms");

  private final TextTable table =
      new TextTable("case", "p99 ms", "cores", "heap MB", "imbalance", "what p99 is of");

  @Override
  public Integer call() throws Exception {
    Arguments.atLeast(1, "--servers", servers);
    Arguments.atLeast(1, "--applications", applications);
    Arguments.atLeast(1, "--placements", placements);
    Arguments.atLeast(1, "--seconds", seconds);
    Arguments.atLeast(1, "--settle", settle);
    Arguments.atLeast(0, "--watching", watching);
    Arguments.atLeast(1, "--changing", changing);
    if (!onlyWatches) {
      placingAndBalance();
    }
    crowd();
    System.out.println("\n" + table);
    if (watching > 0) {
      System.out.println("\n" + news);
    }
    return ExitCode.OK;
  }

  private void placingAndBalance() throws IOException {
    for (PlacementStyle style : PlacementStyle.values()) {
      for (int replicas : new int[] {1, 3}) {
        String what = "20,000 x " + replicas + " on 1,000 in 5 zones of 10 racks";
        double p99 = placing(style, replicas);
        report(
            name("place", style) + "-" + replicas, p99, Double.NaN, Double.NaN, Double.NaN, what);
      }
    }
    for (PlacementStyle style : PlacementStyle.values()) {
      double ours = imbalance(EvenCluster.Dealer.of(PlacementStrategy.of(style)));
      report(name("balance", style), Double.NaN, Double.NaN, Double.NaN, ours, "");
    }
    double inTurn = imbalance(EvenCluster.Dealer.roundRobin());
    report("balance-round-robin", Double.NaN, Double.NaN, Double.NaN, inTurn, "");
  }

  private static String name(String what, PlacementStyle style) {
    return what + "-" + style.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static double imbalance(EvenCluster.Dealer dealer) {
    return new EvenCluster(1_000, 42).imbalance(dealer);
  }

  /** All that a leader does, but for finding out which servers there are. */
  private double placing(PlacementStyle style, int replicas) {
    SplittableRandom random = new SplittableRandom(1);
    List<Leaning.Offer> offers = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      ServerAddress address = new ServerAddress(ServerId.of(7, i + 1L), 1, "host-" + i, 7410);
      Place place = new Place("zone-" + i % 5, "rack-" + i / 5 % 10);
      offers.add(
          new Leaning.Offer(
              new Candidate(address, place, 1 + random.nextLong(1L << 40)), 1L << 40));
    }
    PlacementStrategy strategy = PlacementStrategy.of(style);
    double[] millis = new double[placements];
    long used = 0;
    // As many again before, so that code is compiled.
    for (int i = -placements; i < placements; i++) {
      long begin = Clock.system().nanoTime();
      List<Candidate> candidates = Leaning.lean(offers);
      PlacementRequest request = new PlacementRequest(20_000, replicas, i);
      used += strategy.place(request, candidates).among(candidates).partitions();
      if (i >= 0) {
        millis[i] = (Clock.system().nanoTime() - begin) / 1e6;
      }
    }
    if (used != 40_000L * placements) {
      throw new IllegalStateException("partitions got lost: " + used);
    }
    Arrays.sort(millis);
    return millis[(int) (placements * RARE)];
  }

  private void crowd() throws IOException, ChildFailedException, InterruptedException {
    RunDirectory directory = RunDirectory.create("sluice-coordinator-", output.keep());
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard)) {
      Path data = directory.path().resolve("zookeeper");
      try (MeasuredChild coordinator =
              start(
                  group,
                  CoordinatorProcess.class,
                  // A quarter of the machine is the heap.
                  ServerJvm.coordinatorFlags((4L * heap) << 20),
                  directory,
                  data.toString());
          MeasuredChild crowd =
              start(
                  group,
                  CrowdProcess.class,
                  List.of("-Xmx" + CROWD_HEAP_MIB + "m", "-XX:+UseG1GC"),
                  directory,
                  coordinator.ready())) {
        crowd.ask(CrowdProcess.SERVERS + " " + servers);
        System.out.println(servers + " servers are admitted");
        crowd.ask(CrowdProcess.APPLICATIONS + " " + applications);
        System.out.println(applications + " applications are registered");
        if (!onlyWatches) {
          // What registering left to be compiled, collected and told to servers.
          pause(settle);
          heartbeats(coordinator, crowd);
        }
        if (watching > 0) {
          watches(coordinator, crowd);
        }
      }
    }
  }

  private void heartbeats(MeasuredChild coordinator, MeasuredChild crowd)
      throws IOException, ChildFailedException, InterruptedException {
    crowd.ask(CrowdProcess.LATENCIES);
    long before = use(coordinator)[0];
    long begin = Clock.system().nanoTime();
    pause(seconds);
    long[] after = use(coordinator);
    double cores = (after[0] - before) / (double) (Clock.system().nanoTime() - begin);
    String[] beats = crowd.ask(CrowdProcess.LATENCIES).split(" ");
    System.out.printf(
        Locale.ROOT, "%s heartbeats of applications, %s failed%n", beats[0], beats[1]);
    double p99 = Long.parseLong(beats[2]) / 1e3;
    report("heartbeats", p99, cores, after[1] / 1e6, Double.NaN, "a heartbeat's answer");
  }

  /** While heartbeats go on. */
  private void watches(MeasuredChild coordinator, MeasuredChild crowd)
      throws IOException, ChildFailedException, InterruptedException {
    told("watch-begin", CrowdProcess.WATCH + " " + watching + " " + partitions, coordinator, crowd);
    told("watch-restart", CrowdProcess.RESTART + " " + changing, coordinator, crowd);
    told("watch-new-leader", CrowdProcess.RETURN, coordinator, crowd);
  }

  private void told(String name, String command, MeasuredChild coordinator, MeasuredChild crowd)
      throws IOException, ChildFailedException, InterruptedException {
    crowd.ask(CrowdProcess.LATENCIES);
    crowd.ask(CrowdProcess.NEWS);
    long before = use(coordinator)[0];
    long begin = Clock.system().nanoTime();
    crowd.ask(command);
    pause(watchSeconds);
    long[] after = use(coordinator);
    double seconds = (Clock.system().nanoTime() - begin) / 1e9;
    long[] heard =
        Arrays.stream(crowd.ask(CrowdProcess.NEWS).split(" ")).mapToLong(Long::parseLong).toArray();
    double cpu = (after[0] - before) / 1e9;
    news.add(
        name,
        Long.toString(heard[0]),
        Long.toString(heard[1]),
        figure("%.1f", heard[2] / 1e6),
        figure("%.2f", heard[3] / 1e3),
        figure("%.2f", cpu),
        figure("%.2f", cpu / seconds),
        figure("%.0f", after[1] / 1e6),
        figure("%.1f", Long.parseLong(crowd.ask(CrowdProcess.LATENCIES).split(" ")[2]) / 1e3));
    System.out.println(name + " done");
    output.append(
        new JsonObject()
                .put("case", name)
                .put("messages", heard[0])
                .put("events", heard[1])
                .put("bytes", heard[2])
                .put("last_ms", heard[3])
                .put("cpu_s", cpu)
                .put("cores", cpu / seconds)
                .put("heap_mb", after[1] / 1e6)
            + "\n");
  }

  private static MeasuredChild start(
      ProcessGroup group,
      Class<?> main,
      List<String> flags,
      RunDirectory directory,
      String argument)
      throws IOException, ChildFailedException, InterruptedException {
    Program program = new Program(main, flags, List.of(argument));
    return MeasuredChild.start(
        group, program, directory.path().resolve(main.getSimpleName()), DEADLINE);
  }

  private static long[] use(MeasuredChild coordinator)
      throws ChildFailedException, InterruptedException {
    return Arrays.stream(coordinator.ask(CoordinatorProcess.USE).split(" "))
        .mapToLong(Long::parseLong)
        .toArray();
  }

  /** Time is what is measured over. */
  private static void pause(int seconds) {
    CompletableFuture.runAsync(
            () -> {}, CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS))
        .join();
  }

  private void report(
      String name, double p99, double cores, double heapMb, double imbalance, String what)
      throws IOException {
    table.add(
        name,
        figure("%.2f", p99),
        figure("%.3f", cores),
        figure("%.0f", heapMb),
        figure("%.3f", imbalance),
        what);
    System.out.println(name + " done");
    output.append(
        new JsonObject()
                .put("case", name)
                .put("p99_ms", p99)
                .put("cores", cores)
                .put("heap_mb", heapMb)
                .put("imbalance", imbalance)
            + "\n");
  }

  private static String figure(String format, double value) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "";
  }
}
