package io.sluice.integration;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.cli.local.TestedSpark;
import io.sluice.cli.process.ChildProcess;
import io.sluice.cli.process.ChildSpec;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.operations.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A Python in which {@code pip install pyspark} was done, and nothing else.
 *
 * @param python the interpreter
 * @param version of its Spark
 */
record PythonSpark(Path python, String version) {
  private static final Path PROGRAM = Path.of("src/test/python/rows.py").toAbsolutePath();
  private static final Path HERE = Path.of(".");
  private static final String VERSION = "import pyspark; print(pyspark.__version__)";

  /**
   * The one of {@code SLUICE_PYTHON} (several with colons) whose Spark is of the line, else the
   * environment that docs/testing.md says how to make; skips the test if there is neither.
   */
  static PythonSpark orSkip(TestedSpark line) throws IOException, InterruptedException {
    String asked = System.getenv("SLUICE_PYTHON");
    assumeTrue(
        asked != null || Boolean.getBoolean("sluice.scale"), "runs with -Pscale or SLUICE_PYTHON");
    Stream<Path> pythons =
        Stream.concat(Stream.ofNullable(asked).flatMap(PythonSpark::paths), madeFor(line).stream());
    for (Path python : pythons.toList()) {
      Tool.Outcome said = new Tool(python).run(HERE, Map.of(), "-c", VERSION);
      String version = said.output().strip();
      if (said.exitCode() == 0 && version.startsWith(line.line() + ".")) {
        return new PythonSpark(python, version);
      }
    }
    return abort("no Python with pyspark " + line.line() + " (docs/testing.md)");
  }

  private static Stream<Path> paths(String list) {
    return Stream.of(list.split(":", -1)).map(Path::of);
  }

  private static Optional<Path> madeFor(TestedSpark line) throws IOException {
    String cache = System.getenv("XDG_CACHE_HOME");
    Path own = cache == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
    Path folder = own.resolve("sluice");
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("pyspark-" + line.line() + "."))
          .map(file -> file.resolve("bin/python"))
          .filter(Files::isExecutable)
          .findFirst();
    }
  }

  /** Whether a module can be imported, such as those that {@code pyspark[connect]} brings. */
  boolean has(String module) throws IOException, InterruptedException {
    return new Tool(python).run(HERE, Map.of(), "-c", "import " + module).exitCode() == 0;
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
