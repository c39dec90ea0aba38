package org.apache.spark.shuffle.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.apache.spark.SparkConf;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecutorJarTest {
  private static final String CLUSTER = "spark://host:7077";
  private static final Class<?> ON_CLASS_PATH = ExecutorJar.class;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void refusesAJarThatExecutorsOf35FetchTooLate() throws Exception {
    Class<?> added = addedLater();
    SparkConf conf = conf(CLUSTER).set("spark.jars", "client.jar");

    assertRefused(() -> ExecutorJar.check(conf, "3.5.9", added), "before they have the jars of");
    assertTaken(conf, "4.2.0", added);
    assertTaken(conf.clone().setMaster("local[2]"), "3.5.9", added);
    assertRefused(
        () -> ExecutorJar.check(conf.clone().setMaster("local-cluster[2,1,1024]"), "3.5.9", added),
        "set spark.executor.extraClassPath to");
    assertTaken(conf.set("spark.executor.extraClassPath", "./client.jar"), "3.5.9", added);
  }

  @Test
  void takesWhatSparkHasInItsOwnFolder() {
    assertTaken(conf(CLUSTER), "3.5.9", ON_CLASS_PATH);
    assertTaken(conf(CLUSTER), "4.2.0", ON_CLASS_PATH);
  }

  @Test
  void refusesAJarThatOnlyTheDriverHas() throws Exception {
    Path jar = Path.of(ON_CLASS_PATH.getProtectionDomain().getCodeSource().getLocation().toURI());
    SparkConf conf = conf(CLUSTER).set("spark.driver.extraClassPath", "/other.jar:" + jar);

    for (String version : new String[] {"3.5.9", "4.2.0"}) {
      assertRefused(
          () -> ExecutorJar.check(conf, version, ON_CLASS_PATH), "only the driver has the shuffle");
    }
    SparkConf wildcard = conf(CLUSTER);
    wildcard.set("spark.driver.extraClassPath", jar.getParent() + "/*");
    assertRefused(() -> ExecutorJar.check(wildcard, "4.2.0", ON_CLASS_PATH), "only the driver");
    assertTaken(conf.clone().set("spark.jars", jar.toString()), "4.2.0", ON_CLASS_PATH);
    assertTaken(
        conf.clone().set("spark.executor.extraClassPath", jar.toString()), "3.5.9", ON_CLASS_PATH);
    SparkConf another = conf(CLUSTER).set("spark.driver.extraClassPath", "/other.jar");
    assertTaken(another, "3.5.9", ON_CLASS_PATH);
  }

  private static SparkConf conf(String master) {
    return new SparkConf(false).setMaster(master);
  }

  private static void assertRefused(ThrowingCallable check, String why) {
    assertThatThrownBy(check)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining(why)
        .hasMessageContaining("spark.executor.extraClassPath");
  }

  private static void assertTaken(SparkConf conf, String version, Class<?> manager) {
    assertThatCode(() -> ExecutorJar.check(conf, version, manager)).doesNotThrowAnyException();
  }

  /** A class that the virtual machine was not started with, as those of --jars are. */
  private Class<?> addedLater() throws Exception {
    Path source = folder.resolve("Later.java");
    Files.writeString(source, "public class Later {}");
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()))
        .isZero();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      return loader.loadClass("Later");
    }
  }
}
