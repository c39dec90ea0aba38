package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.shuffle.sluice.handle.SluiceShuffleHandle;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks whose class loader has classes of the client that the shuffle manager is not of. */
class SecondCopyTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  /** They would shuffle through the executor's disk, and nobody would know. */
  @Test
  void tasksFailAndSayWhereBothCopiesAre() throws IOException {
    SparkSession spark =
        SparkSide.heap(
            Map.of("spark.executor.userClassPathFirst", "true", "spark.jars", jar().toString()));
    try {
      JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
      assertThatThrownBy(() -> context.parallelize(List.of(1, 2, 3), 2).repartition(3).collect())
          .hasMessageContaining("INVALID_CONFIGURATION")
          .hasMessageContaining("org.apache.spark.util.ChildFirstURLClassLoader")
          .hasMessageContaining("second-copy.jar")
          .hasMessageContaining(SluiceShuffleHandle.class.getClassLoader().toString());
    } finally {
      spark.stop();
    }
  }

  /** A jar with what a task's handle is. */
  private Path jar() throws IOException {
    String name = SluiceShuffleHandle.class.getName().replace('.', '/') + ".class";
    Path jar = folder.resolve("second-copy.jar");
    try (InputStream copied =
            Objects.requireNonNull(
                SluiceShuffleHandle.class.getClassLoader().getResourceAsStream(name));
        OutputStream file = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(file)) {
      entries.putNextEntry(new JarEntry(name));
      copied.transferTo(entries);
      entries.closeEntry();
    }
    return jar;
  }
}
