package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Applications of RDDs alone may have no jar of Spark SQL on their class path. */
class WithoutSparkSqlTest {
  private static final long DEADLINE_SECONDS = 300;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void rddsAreShuffled() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", classPath(), RddJob.class.getName()));
    File log = folder.resolve("log").toFile();
    Process job = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    try {
      assertThat(job.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("ended in time").isTrue();
    } finally {
      job.destroyForcibly();
    }
    assertThat(Files.readString(log.toPath())).contains(RddJob.DONE);
    assertThat(job.exitValue()).isZero();
  }

  private static String classPath() {
    String[] all = System.getProperty("java.class.path").split(File.pathSeparator, -1);
    List<String> kept =
        Arrays.stream(all).filter(entry -> !isSparkSql(entry)).collect(Collectors.toList());
    assertThat(all.length - kept.size()).as("jars left out").isGreaterThan(1);
    return String.join(File.pathSeparator, kept);
  }

  private static boolean isSparkSql(String entry) {
    String name = new File(entry).getName();
    // Spark's MLlib asks for it, and is looked for wherever it may be.
    return Stream.of("spark-sql", "spark-catalyst", "spark-mllib").anyMatch(name::startsWith);
  }
}
