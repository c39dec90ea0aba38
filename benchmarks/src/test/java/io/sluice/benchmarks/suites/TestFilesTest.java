package io.sluice.benchmarks.suites;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.spark.SparkHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestFilesTest {
  @Test
  void copiesWhatTestsOpenByPathOutOfTheJarOfTests(@TempDir Path home) throws IOException {
    SparkHome spark = sparkWith(home, "fairscheduler.xml");
    Path files = Files.createDirectory(home.resolve("files"));

    TestFiles.unpack(spark, files);

    assertThat(files.resolve("fairscheduler.xml")).hasContent("<allocations/>");
  }

  @Test
  void saysWhichFileTheJarLacks(@TempDir Path home) throws IOException {
    SparkHome spark = sparkWith(home, "log4j2.properties");

    assertThatThrownBy(() -> TestFiles.unpack(spark, home))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("spark-core_2.12-3.5.9-tests.jar has no fairscheduler.xml");
  }

  private static SparkHome sparkWith(Path home, String name) throws IOException {
    Path tests = home.resolve("spark-core_2.12-3.5.9-tests.jar");
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(tests))) {
      jar.putNextEntry(new ZipEntry(name));
      jar.write("<allocations/>".getBytes(UTF_8));
    }
    return new SparkHome(home, "3.5.9", "2.12");
  }
}
