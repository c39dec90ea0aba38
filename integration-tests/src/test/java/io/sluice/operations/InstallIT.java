package io.sluice.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.local.RunDirectory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * The commands of docs/operations/install.md, as they stand there: in an empty folder, with the
 * archive beside them and a Spark home, as a user without rights where this process may become one.
 */
class InstallIT {
  private static final List<Integer> PORTS = List.of(7400, 7401, 7410, 7411, 7420, 7421);
  private static final String NOBODY = "65534";

  @Test
  void theCommandsOfTheDocumentGiveAClusterThatRunsAJob() throws Exception {
    for (int port : PORTS) {
      Assumptions.assumeTrue(isFree(port), "port " + port + " of the document is in use");
    }
    // Not JUnit's own: that would warn of the link to Spark's jars, and keep nothing to look at.
    RunDirectory folder = RunDirectory.create("sluice-install-", false);
    boolean asItShouldBe = false;
    try {
      install(folder.path());
      asItShouldBe = true;
    } finally {
      if (!asItShouldBe) {
        folder.keep();
        System.err.println("what was installed is in " + folder.path());
      }
      folder.discard();
    }
  }

  private static void install(Path folder) throws Exception {
    Path home = Files.createDirectory(folder.resolve("home"));
    packArchive(home);
    Path spark = sparkHome(Files.createDirectory(folder.resolve("spark")));
    Path hadoop = hadoopHome(Files.createDirectory(folder.resolve("hadoop")));
    Map<String, String> environment =
        Map.of(
            "SPARK_HOME", spark.toString(),
            "HADOOP_HOME", hadoop.toString(),
            "JAVA_HOME", System.getProperty("java.home"),
            "TMPDIR", home.toString());

    Tool.Outcome outcome = shell(folder, spark, environment);

    assertThat(outcome.exitCode()).as(outcome.output() + logs(home)).isZero();
    assertThat(outcome.output()).contains(mostFrequentWords());
    assertThat(outcome.output()).as("MapReduce's words").contains(wordCount("shuffle"));
    assertThat(pushedBytes(outcome.output()))
        .hasSize(2)
        .allSatisfy(bytes -> assertThat(bytes).isPositive());
    assertThat(log(home, "server-1")).contains("sealed: the next start has everything");
    assertThat(log(home, "server-2")).contains("sealed: the next start has everything");
    assertThat(logs(home)).doesNotContain(" ERROR ");
  }

  /** Runs the commands, without rights where that can be had. */
  private static Tool.Outcome shell(Path folder, Path spark, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path home = folder.resolve("home");
    Path script = Files.writeString(folder.resolve("commands.sh"), script());
    if (!becomesNobody(spark)) {
      return Tool.orSkip("bash").run(home, environment, script.toString());
    }
    String owner = NOBODY + ":" + NOBODY;
    Tool.orSkip("chown").run("-hR", owner, folder.toString()).orFail();
    return Tool.orSkip("setpriv")
        .run(
            home,
            environment,
            "--reuid",
            NOBODY,
            "--regid",
            NOBODY,
            "--clear-groups",
            "bash",
            script.toString());
  }

  /** As a user's shell would run them, with nothing left behind if one fails. */
  private static String script() throws IOException {
    List<String> blocks = Fences.of(Distribution.file("docs/operations/install.md"), "sh");
    assertThat(blocks).as("blocks of commands").hasSizeGreaterThan(4);
    return "set -euo pipefail\n"
        + "trap 'kill -KILL $(jobs -p) 2>/dev/null || true' EXIT\n"
        + String.join("\n", blocks);
  }

  /** Not compressed: tar sees by itself, and a test need not take the time. */
  private static void packArchive(Path home) throws Exception {
    Path made = Distribution.folder();
    Tool.orSkip("tar")
        .run(
            "-cf",
            home.resolve(made.getFileName() + ".tar.gz").toString(),
            "-C",
            String.valueOf(made.getParent()),
            String.valueOf(made.getFileName()))
        .orFail();
  }

  /** Jars from Maven, and the script beside them that does what Spark's own {@code bin} does. */
  private static Path sparkHome(Path home) throws IOException {
    Path jars = Distribution.file("benchmarks/spark-home/target/spark-home/jars");
    Files.createSymbolicLink(home.resolve("jars"), jars);
    Path submit = Files.createDirectory(home.resolve("bin")).resolve("spark-submit");
    Files.writeString(
        submit,
        """
        #!/usr/bin/env bash
        export SPARK_SCALA_VERSION=2.12
        launcher() {
          "$JAVA_HOME"/bin/java -Xmx128m -cp "$SPARK_HOME/jars/*" org.apache.spark.launcher.Main \\
            org.apache.spark.deploy.SparkSubmit "$@"
          printf '%d\\0' $?
        }
        command=()
        while IFS= read -d '' -r word; do command+=("$word"); done < <(launcher "$@")
        last=$((${#command[@]} - 1))
        [ "${command[$last]}" = 0 ] || exit "${command[$last]}"
        command=("${command[@]:0:$last}")
        # The launcher begins with an empty word and the end of a line.
        command=("${command[@]:1}")
        exec "${command[0]#$'\\n'}" "${command[@]:1}"
        """);
    Files.setPosixFilePermissions(submit, PosixFilePermissions.fromString("rwxr-xr-x"));
    return home;
  }

  /** Jars from Maven, and of Hadoop's own script as much as runs a job. */
  private static Path hadoopHome(Path home) throws IOException {
    Path jars = Distribution.file("benchmarks/hadoop-home/target/lib");
    Files.createSymbolicLink(home.resolve("lib"), jars);
    Path hadoop = Files.createDirectory(home.resolve("bin")).resolve("hadoop");
    Files.writeString(
        hadoop,
        """
        #!/usr/bin/env bash
        [ "$1" = jar ] && shift
        exec "$JAVA_HOME"/bin/java -Xmx512m -Djava.io.tmpdir="$TMPDIR" \\
          -cp "$HADOOP_CLASSPATH:$HADOOP_HOME/lib/*" org.apache.hadoop.util.RunJar "$@"
        """);
    Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("rwxr-xr-x"));
    return home;
  }

  /** How often a word occurs, as MapReduce writes it; nothing else in the output looks like it. */
  private static String wordCount(String word) throws IOException {
    String text = Files.readString(Distribution.file("docs/architecture.md"));
    long count =
        Stream.of(text.toLowerCase(Locale.ROOT).split("[^a-z]+")).filter(word::equals).count();
    return "\n" + word + "\t" + count + "\n";
  }

  /** Root can become somebody who has no rights, if that one can then read what is needed. */
  private static boolean becomesNobody(Path spark) throws IOException {
    if (!"root".equals(System.getProperty("user.name")) || Tool.find("setpriv").isEmpty()) {
      return false;
    }
    Path jars = spark.resolve("jars").toRealPath();
    for (Path above = jars; above != null; above = above.getParent()) {
      if (!Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }

  /** What the job prints, counted here. */
  private static String mostFrequentWords() throws IOException {
    String text = Files.readString(Distribution.file("docs/architecture.md"));
    Map<String, Long> counts =
        Stream.of(text.toLowerCase(Locale.ROOT).split("[^a-z]+"))
            .filter(word -> !word.isEmpty())
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    return counts.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(10)
        .map(word -> word.getValue() + "\t" + word.getKey() + "\n")
        .collect(Collectors.joining());
  }

  private static List<Double> pushedBytes(String output) {
    return output
        .lines()
        .filter(line -> line.startsWith("sluice_server_pushed_bytes_total "))
        .map(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .toList();
  }

  private static String log(Path home, String name) throws IOException {
    try (Stream<Path> files = Files.walk(home, 2)) {
      Path log = files.filter(file -> file.endsWith(name + ".log")).findFirst().orElse(home);
      return Files.isRegularFile(log) ? Files.readString(log) : "no log of " + name;
    }
  }

  private static String logs(Path home) throws IOException {
    try (Stream<Path> files = Files.walk(home, 2)) {
      StringBuilder all = new StringBuilder();
      for (Path log :
          files
              .filter(file -> file.toString().endsWith(".log"))
              .sorted(Comparator.naturalOrder())
              .toList()) {
        all.append("\n--- ").append(log.getFileName()).append('\n').append(Files.readString(log));
      }
      return all.toString();
    }
  }
}
