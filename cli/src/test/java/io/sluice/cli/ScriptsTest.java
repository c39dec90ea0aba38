package io.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.service.StopSignal;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The scripts of {@code bin/} in a tree of their own, where Maven and Java only note their call.
 */
class ScriptsTest {
  private static final Path HELP = Path.of("../bin/quickstart.help");
  private static final String BUILT = "Building what is missing";

  private final Path tree;
  private final Path calls;
  private final Map<String, String> environment = new HashMap<>();

  ScriptsTest(@TempDir Path tree) {
    this.tree = tree;
    this.calls = tree.resolve("calls");
  }

  /** What a script did. */
  private record Outcome(int exitCode, String output) {}

  @BeforeEach
  void plantTree() throws IOException {
    Files.createDirectories(tree.resolve("bin"));
    for (String script : List.of("bench", "common.sh", "quickstart", "sluice")) {
      executable("bin/" + script, Files.readString(Path.of("../bin").resolve(script)));
    }
    Files.copy(HELP, tree.resolve("bin/quickstart.help"));
    executable("tools/bin/mvn", "#!/bin/sh\necho mvn \"$@\" >>'" + calls + "'\n");
    executable(
        "tools/bin/java",
        String.format(
            Locale.ROOT,
            """
        #!/bin/sh
        case "$*" in
          *-XshowSettings*) echo '    java.specification.version = 17' >&2 ;;
          *--print-jvm-flags*--help*) echo 'Usage: sluice server run' ;;
          *--print-jvm-flags*) echo '-Xms64m -Xmx64m' ;;
          *--only-check*many*) exit 64 ;;
          *) echo java "$@" >>'%s' ;;
        esac
        """,
            calls));
    Files.createDirectories(tree.resolve("cli/src/main"));
    Files.createFile(tree.resolve("cli/src/main/Source.java"));
    environment.put("TMPDIR", Files.createDirectory(tree.resolve("tmp")).toString());
  }

  @Test
  void aBuildOfTheQuickstartServesTheOthers() throws Exception {
    assertThat(run("quickstart").output()).contains(BUILT);

    assertThat(run("sluice", "cluster", "status").output()).doesNotContain(BUILT);
    assertThat(run("bench", "spark").output()).doesNotContain(BUILT);
    assertThat(run("quickstart", "--rows", "5").output()).doesNotContain(BUILT);
    assertThat(Files.readString(calls).lines().filter(call -> call.startsWith("mvn"))).hasSize(1);
  }

  @Test
  void aBuildOfTheCommandIsNotEnoughForTheQuickstart() throws Exception {
    assertThat(run("sluice", "cluster", "status").output()).contains(BUILT);

    assertThat(run("quickstart").output()).contains(BUILT);
  }

  @Test
  void buildsAgainWhenASourceIsNewer() throws Exception {
    run("sluice", "cluster", "status");
    Files.writeString(tree.resolve("cli/src/main/Source.java"), "changed");

    assertThat(run("sluice", "cluster", "status").output()).contains(BUILT);
    assertThat(run("sluice", "cluster", "status").output()).doesNotContain(BUILT);
  }

  @Test
  @Timeout(60)
  void ofTwoCommandsAtOnceOneBuildsAndTheOtherWaits() throws Exception {
    Path gate = tree.resolve("gate");
    assertThat(new ProcessBuilder("mkfifo", gate.toString()).start().waitFor()).isZero();
    executable(
        "tools/bin/mvn", "#!/bin/sh\necho mvn \"$@\" >>'" + calls + "'\ncat '" + gate + "'\n");
    Process first = start("sluice", Redirect.DISCARD, "cluster", "status");
    Process second;
    // Opens when Maven does, and keeps it going.
    try (OutputStream building = Files.newOutputStream(gate)) {
      second = start("sluice", Redirect.PIPE, "cluster", "status");
      assertThat(second.inputReader(UTF_8).readLine())
          .startsWith("Waiting for another command that builds in " + tree);
      assertThat(first.isAlive()).isTrue();
      building.flush();
    }

    assertThat(first.waitFor()).isZero();
    assertThat(second.inputReader(UTF_8).readLine()).as("nothing else").isNull();
    assertThat(second.waitFor()).isZero();
    assertThat(Files.readString(calls).lines().filter(call -> call.startsWith("mvn"))).hasSize(1);
    assertThat(Files.readString(calls).lines().filter(call -> call.startsWith("java"))).hasSize(2);
  }

  @Test
  void whatRunsAfterABuildDoesNotKeepOthersFromBuilding() throws Exception {
    executable(
        "tools/bin/java",
        String.format(
            Locale.ROOT,
            """
        #!/bin/sh
        case "$*" in
          *-XshowSettings*) echo '    java.specification.version = 17' >&2 ;;
          *) [ -e /proc/self/fd/9 ] || echo java "$@" >>'%s' ;;
        esac
        """,
            calls));

    run("sluice", "cluster", "status");

    assertThat(Files.readString(calls)).contains("java ");
  }

  @Test
  void helpOfTheQuickstartAndUnknownOptionsAreToldBeforeAnythingIsBuilt() throws Exception {
    for (String asked : List.of("--help", "-h", "-hV")) {
      Outcome help = run("quickstart", "--rows", "5", asked);
      assertThat(help.exitCode()).isZero();
      assertThat(help.output()).isEqualTo(Files.readString(HELP));
    }
    assertThat(run("sluice", "quickstart", "--help").output()).isEqualTo(Files.readString(HELP));
    for (String unknown : List.of("--wrong", "--rows-of=5", "--row", "-x", "--")) {
      Outcome wrong = run("quickstart", "--rows", "5", unknown);
      assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(wrong.output())
          .contains("no such option: " + unknown.split("=")[0] + ";")
          .contains("--help");
    }
    assertThat(calls).as("calls of Maven and Java").doesNotExist();
  }

  /** In its own words. To write them anew: this test with {@code -Dsluice.docs.write=true}. */
  @Test
  void helpOfTheQuickstartIsThatOfTheCommand() throws Exception {
    CommandLine sluice = Sluice.command(new StopSignal(status -> {}));
    CommandLine command = Objects.requireNonNull(sluice.getSubcommands().get("quickstart"));
    String usage = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
    if (Boolean.getBoolean("sluice.docs.write")) {
      Files.writeString(HELP, usage);
    }

    assertThat(HELP).as("see this test for how to write it anew").hasContent(usage);
  }

  @Test
  void everyOptionThatTheHelpNamesIsOne() throws Exception {
    String[] all = {
      "--workload",
      "sort",
      "--rows=5",
      "--partitions",
      "5",
      "--servers",
      "1",
      "--server-memory=1g",
      "--master",
      "local",
      "--heap",
      "1g",
      "--spark",
      "3.5",
      "--json",
      "x.json",
      "--keep"
    };
    assertThat(run("quickstart", all).output()).doesNotContain("no such option");
    assertThat(run("quickstart", "--spark-home", "/x", "-V").output()).doesNotContain("no such");
    assertThat(Files.readString(calls)).contains("quickstart --workload sort --rows=5");
  }

  @Test
  void wrongValuesForTheQuickstartAreToldBeforeMostIsBuilt() throws Exception {
    assertThat(run("quickstart", "--rows", "many").exitCode()).isEqualTo(ExitCode.USAGE);

    assertThat(Files.readString(calls)).contains("-pl cli -am").doesNotContain("benchmarks");
  }

  @Test
  void buildsWhatTheSparkThatIsAskedForNeedsAndNoOther() throws Exception {
    assertThat(run("quickstart", "--spark", "4.2").output()).contains(BUILT);
    assertThat(run("bench", "spark", "--spark=4.2").output()).doesNotContain(BUILT);
    assertThat(Files.readString(calls))
        .contains("-pl cli,client-spark/scala-2.13,benchmarks,benchmarks/spark-4.2-home -am")
        .doesNotContain("client-spark/spark-3.5");

    assertThat(run("quickstart").output()).contains(BUILT);
    assertThat(run("bench", "queries", "--spark", "4.2").output()).contains(BUILT);
    assertThat(Files.readString(calls))
        .contains("client-spark/spark-3.5,benchmarks,benchmarks/spark-home -am")
        .contains("benchmarks,benchmarks/spark-4.2-suites,benchmarks/spark-4.2-suites-home -am");
  }

  @Test
  void theBenchmarksSayWhatThereIsBeforeAnythingIsBuilt() throws Exception {
    assertThat(run("bench").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run("bench").output())
        .contains("Usage: bench COMMAND", "spark", "storage", "restart");
    assertThat(run("bench", "--help").exitCode()).isZero();
    Outcome wrong = run("bench", "strage");
    assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.output()).contains("no such command: strage");
    assertThat(calls).as("calls of Maven and Java").doesNotExist();
  }

  @Test
  void helpOfABenchmarkBuildsNothingThatItRuns() throws Exception {
    for (String benchmark : List.of("spark", "mapreduce", "queries")) {
      run("bench", benchmark, "--help");
    }
    assertThat(Files.readString(calls))
        .containsOnlyOnce("mvn ")
        .contains("-pl cli,benchmarks -am", "Bench mapreduce --help");
  }

  @Test
  void helpOfAServerIsThatOfTheCommand() throws Exception {
    Outcome help = run("sluice", "server", "run", "--help");

    assertThat(help.exitCode()).isZero();
    assertThat(help.output()).contains("Usage: sluice server run");
    assertThat(Files.readString(calls)).doesNotContain("java");
  }

  @Test
  void aServerGetsTheFlagsItsSettingsAskFor() throws Exception {
    run("sluice", "server", "run", "--set", "server.memory=512m");

    assertThat(Files.readString(calls))
        .contains("java -Xms64m -Xmx64m ")
        .contains("io.sluice.cli.Sluice server run --set server.memory=512m");
  }

  @Test
  void aCoordinatorGetsTheFlagsThatFitTheMachine() throws Exception {
    run("sluice", "coordinator", "run", "--set", "coordinator.port=0");

    assertThat(Files.readString(calls))
        .contains("java -Xms64m -Xmx64m ")
        .contains("io.sluice.cli.Sluice coordinator run --set coordinator.port=0");
  }

  @Test
  void aDistributionHasItsJarsAndBuildsNothing() throws Exception {
    Files.createDirectories(tree.resolve("lib"));

    assertThat(run("sluice", "server", "run").output()).doesNotContain(BUILT);
    assertThat(Files.readString(calls))
        .contains("-Dlog4j2.configurationFile=" + tree + "/conf/log4j2.properties")
        .contains("-cp " + tree + "/lib/*:" + tree + "/lib/hdfs/* io.sluice.cli.Sluice server run");
    Outcome quickstart = run("sluice", "quickstart");
    assertThat(quickstart.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(quickstart.output()).contains("needs the source tree");
  }

  @Test
  void namesATemporaryDirectoryThatIsNotThere() throws Exception {
    environment.put("TMPDIR", "/no/such/directory");

    Outcome outcome = run("quickstart");

    assertThat(outcome.exitCode()).isEqualTo(ExitCode.IO_ERROR);
    assertThat(outcome.output()).contains("/no/such/directory");
    assertThat(calls).doesNotExist();
  }

  private Outcome run(String script, String... arguments) throws IOException, InterruptedException {
    Path output = tree.resolve("output");
    Process process = start(script, Redirect.to(output.toFile()), arguments);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Outcome(process.exitValue(), Files.readString(output, UTF_8));
  }

  private Process start(String script, Redirect output, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(tree.resolve("bin").resolve(script).toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
    builder.environment().remove("SPARK_HOME");
    builder.environment().put("JAVA_HOME", tree.resolve("tools").toString());
    builder.environment().merge("PATH", tree + "/tools/bin", (path, tools) -> tools + ":" + path);
    builder.environment().putAll(environment);
    return builder.start();
  }

  private void executable(String name, String text) throws IOException {
    Path file = tree.resolve(name);
    Files.createDirectories(tree.resolve(name).getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
