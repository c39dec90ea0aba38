package io.sluice.integration;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.spark.SparkHome;
import io.sluice.cli.spark.UnusableSparkException;
import io.sluice.operations.Tool;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A Python in which {@code pip} installed a Spark, and what that asks for.
 *
 * @param python the interpreter
 * @param version of its Spark
 */
record PythonSpark(Path python, String version) {
  private static final Path PROGRAM = Path.of("src/test/python/rows.py").toAbsolutePath();
  private static final Duration INSTALLING = Duration.ofMinutes(15);
  private static final Path HERE = Path.of(".");
  private static final String VERSION = "import pyspark; print(pyspark.__version__)";
  private static final String HOME = "import pyspark; print(pyspark.__path__[0])";

  /** With what {@code pip install pyspark==VERSION} gives. */
  static PythonSpark orSkip(String version) throws IOException, InterruptedException {
    return orSkip(version, "pyspark-" + version, "pyspark==" + version);
  }

  /** With what {@code pip install pyspark[connect]==VERSION} gives. */
  static PythonSpark withConnectOrSkip(String version) throws IOException, InterruptedException {
    return orSkip(version, "pyspark-connect-" + version, "pyspark[connect]==" + version);
  }

  private static PythonSpark orSkip(String version, String name, String required)
      throws IOException, InterruptedException {
    assumeTrue(Boolean.getBoolean("sluice.scale"), "runs with -Pscale");
    Path environment = cache().resolve(name);
    PythonSpark spark = new PythonSpark(environment.resolve("bin/python"), version);
    Files.createDirectories(environment);
    try (FileChannel mutex = FileChannel.open(cache().resolve(name + ".lock"), CREATE, WRITE);
        FileLock held = mutex.lock()) {
      assertThat(held.isValid()).isTrue();
      if (!spark.isThere()) {
        make(environment, required);
        assertThat(spark.isThere()).as("%s in %s", required, environment).isTrue();
      }
    }
    return spark;
  }

  private static Path cache() {
    String cache = System.getenv("XDG_CACHE_HOME");
    Path own = cache == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
    return own.resolve("sluice");
  }

  private boolean isThere() throws IOException, InterruptedException {
    if (!Files.isExecutable(python)) {
      return false;
    }
    Tool.Outcome said = new Tool(python).run(HERE, Map.of(), "-c", VERSION);
    return said.exitCode() == 0 && said.output().strip().equals(version);
  }

  /** Also in the place of one that was not made to its end. */
  private static void make(Path environment, String required)
      throws IOException, InterruptedException {
    Tool.orSkip("python3")
        .run(HERE, Map.of(), "-m", "venv", "--clear", environment.toString())
        .orFail();
    new Tool(environment.resolve("bin/pip"))
        .run(INSTALLING, HERE, Map.of(), "install", "--quiet", required)
        .orFail();
  }

  /** The Spark for executors without Python, which lies in the package. */
  SparkHome home() throws IOException, InterruptedException, UnusableSparkException {
    String home = new Tool(python).run(HERE, Map.of(), "-c", HOME).orFail().strip();
    return SparkHome.at(Path.of(home), version.substring(0, version.lastIndexOf('.')), "2.13");
  }

  /**
   * Starts the program, which announces how many rows it has written.
   *
   * @param rows the file it writes
   * @param directory where it runs and logs; exists
   */
  ChildProcess start(ProcessGroup group, Path rows, Map<String, String> settings, Path directory)
      throws IOException {
    List<String> command = new ArrayList<>();
    // PySpark would take the Spark of that variable, whatever it is.
    command.addAll(List.of("/usr/bin/env", "-u", "SPARK_HOME"));
    command.addAll(List.of(python.toString(), PROGRAM.toString(), rows.toString()));
    settings.forEach((key, value) -> command.add(key + "=" + value));
    // As in a shell in which the environment was activated: workers run "python3" of the path.
    Map<String, String> environment =
        Map.of(
            "PATH",
            python.getParent() + ":" + System.getenv("PATH"),
            "SPARK_LOCAL_IP",
            "127.0.0.1",
            "JAVA_HOME",
            System.getProperty("java.home"));
    return group.start(
        new ChildSpec(
            "PySpark " + version,
            command,
            environment,
            directory,
            directory.resolve("log"),
            line -> line.startsWith("@rows ")));
  }
}
