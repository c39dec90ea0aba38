package io.sluice.benchmarks.suites;

import io.sluice.cli.spark.SparkHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/**
 * Files that Spark's tests find on the class path and then open by their path: in Spark's own build
 * they lie in a directory, here in the jar of its tests, where they have none.
 */
final class TestFiles {
  private static final List<String> NAMES = List.of("fairscheduler.xml");

  private TestFiles() {}

  /**
   * Copies them out of the jar.
   *
   * @param spark with its tests
   * @param directory exists; put it before Spark's jars on the class path
   * @throws IOException also if a file is not in the jar
   */
  static void unpack(SparkHome spark, Path directory) throws IOException {
    Path tests =
        spark.jars().resolve("spark-core_" + spark.scala() + "-" + spark.version() + "-tests.jar");
    try (JarFile jar = new JarFile(tests.toFile())) {
      for (String name : NAMES) {
        ZipEntry entry = jar.getEntry(name);
        if (entry == null) {
          throw new IOException(tests + " has no " + name);
        }
        try (var in = jar.getInputStream(entry)) {
          Files.copy(in, directory.resolve(name));
        }
      }
    }
  }
}
